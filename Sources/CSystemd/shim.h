// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors
#pragma once
#include <errno.h>
#include <linux/ioctl.h>
#include <linux/types.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-id128.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

// Every function here returns 0 or a positive value on success and -errno on failure, as libsystemd's own do.

static const uint32_t relight_epoll_in = EPOLLIN;
static const uint32_t relight_epoll_out = EPOLLOUT;
static const uint32_t relight_epoll_hup = EPOLLHUP;
static const uint32_t relight_epoll_err = EPOLLERR;
static const uint32_t relight_epoll_rdhup = EPOLLRDHUP;

static inline int relight_eventfd(void) {
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

/// Blocks one signal in the calling thread.
static inline int relight_block_signal(int signal_number) {
    sigset_t set;
    sigemptyset(&set);
    if (sigaddset(&set, signal_number) < 0)
        return -errno;
    return -pthread_sigmask(SIG_BLOCK, &set, NULL);
}

/// A datagram socket connected to a path; close-on-exec and non-blocking.
static inline int relight_datagram_connect(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    if (length >= sizeof address.sun_path)
        return -ENAMETOOLONG;
    memcpy(address.sun_path, path, length + 1);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    if (connect(fd, (const struct sockaddr *) &address, sizeof address) < 0) {
        int error = errno;
        close(fd);
        return -error;
    }
    return fd;
}

/// How a child ended, as waitid tells it.
typedef struct relight_child_status {
    int code;   // 0 while it lives, else one of the relight_child_* values below
    int status; // exit code or signal
} relight_child_status;

static const int relight_child_exited = CLD_EXITED;
static const int relight_child_killed = CLD_KILLED;
static const int relight_child_dumped = CLD_DUMPED;

/// Reaps the process behind a pidfd without waiting. -ECHILD: not our child, or already reaped.
static inline int relight_wait_pidfd(int pidfd, relight_child_status *result) {
    siginfo_t info;
    memset(&info, 0, sizeof info);
    result->code = 0;
    result->status = 0;
    int r;
    do
        r = waitid((idtype_t) 3 /* P_PIDFD, which older headers lack */, (id_t) pidfd, &info, WEXITED | WNOHANG);
    while (r < 0 && errno == EINTR);
    if (r < 0)
        return -errno;
    if (info.si_pid != 0) {
        result->code = info.si_code;
        result->status = info.si_status;
    }
    return 0;
}

// Linux 6.15 and newer keep the exit status of a reaped process behind its pidfd. Debian 12's headers do not know it yet.
struct relight_pidfd_info {
    __u64 mask;
    __u64 cgroupid;
    __u32 pid, tgid, ppid;
    __u32 ruid, rgid, euid, egid, suid, sgid, fsuid, fsgid;
    __s32 exit_code;
};
_Static_assert(sizeof(struct relight_pidfd_info) == 64, "PIDFD_GET_INFO's first version has 64 bytes");

/// The wait status of a process that somebody else has reaped. 1: status is set; 0: not reaped yet; -errno: the kernel
/// cannot tell.
static inline int relight_adopted_status(int pidfd, relight_child_status *result) {
    const __u64 exit_known = 1u << 3;
    struct relight_pidfd_info info;
    memset(&info, 0, sizeof info);
    info.mask = exit_known;
    result->code = 0;
    result->status = 0;
    if (ioctl(pidfd, _IOWR(0xFF, 11, struct relight_pidfd_info), &info) < 0)
        return -errno;
    if (!(info.mask & exit_known))
        return 0;
    if (WIFEXITED(info.exit_code)) {
        result->code = CLD_EXITED;
        result->status = WEXITSTATUS(info.exit_code);
    } else {
        result->code = WCOREDUMP(info.exit_code) ? CLD_DUMPED : CLD_KILLED;
        result->status = WTERMSIG(info.exit_code);
    }
    return 1;
}
