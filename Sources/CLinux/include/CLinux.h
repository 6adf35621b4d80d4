// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

// Kernel calls that the Glibc overlay hides. Every function returns a value >= 0, or -errno; none sets errno for its
// caller to read.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

int relight_pidfd_open(pid_t pid);
int relight_pidfd_send_signal(int pidfd, int signal);
int relight_memfd_create(const char *name);
/// Forbids any later change of the memfd's size or content, so that a reader may map it without fear of SIGBUS.
int relight_memfd_seal(int fd);
/// 1 if nobody can shrink or change it any more, 0 if somebody can, -EINVAL if it is no memfd.
int relight_memfd_is_sealed(int fd);
int relight_socketpair(int fds[2]);
int relight_accept(int fd);
/// A listening (backlog 128) or connected Unix stream socket, close-on-exec and non-blocking.
int relight_unix_listen(const char *path, unsigned mode);
int relight_unix_connect(const char *path);
int relight_set_nonblocking(int fd);
int relight_dup_cloexec(int fd);
/// Orphaned descendants become children of the calling process, so that it can find and reap them.
int relight_set_subreaper(void);
/// Raises the soft limit on open descriptors to the hard one; returns it.
long relight_raise_descriptor_limit(void);
int relight_set_process_name(const char *name);
/// Gives free heap memory back to the system; 1 if there was some.
int relight_trim_heap(void);

struct relight_peer {
    pid_t pid;
    uid_t uid;
    gid_t gid;
};
int relight_peer_credentials(int fd, struct relight_peer *peer);

#define RELIGHT_MAX_FDS 16

/// One recvmsg: returns the number of bytes, 0 at the end of file. Received descriptors are close-on-exec; `*fd_count`
/// says how many. A truncated control message gives -EMSGSIZE with every received descriptor closed.
ssize_t relight_recv(int fd, void *buffer, size_t capacity, int fds[RELIGHT_MAX_FDS], int *fd_count);
/// One sendmsg with MSG_NOSIGNAL; the descriptors travel with the first byte.
ssize_t relight_send(int fd, const void *bytes, size_t count, const int *fds, int fd_count);

struct relight_spawn_request {
    const char *path;
    const char *const *argv;
    const char *const *envp;
    const char *directory; // or NULL
    /// `fds[i]` becomes descriptor i of the child; -1 opens /dev/null there. All others are closed.
    const int *fds;
    int fd_count;
    /// A cgroup v2 directory to start in, or -1.
    int cgroup_fd;
};

struct relight_spawn_result {
    pid_t pid;
    int pidfd;
    /// False if the kernel or a filter refused clone3 or the cgroup: the caller then moves the child itself.
    int in_cgroup;
};

/// Starts a process in a session of its own, with default signal handling and an empty mask. Returns 0, or -errno of
/// the step that failed, execve included; nothing is left behind in that case.
int relight_spawn(const struct relight_spawn_request *request, struct relight_spawn_result *result);

/// Reaps one dead child that no pidfd watches: its PID, 0 if there is none, or -errno. `pid` must be a child's.
pid_t relight_reap(pid_t pid);
