// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int result_of(int value) { return value < 0 ? -errno : value; }

int relight_pidfd_open(pid_t pid) { return result_of((int)syscall(SYS_pidfd_open, pid, 0)); }

int relight_pidfd_send_signal(int pidfd, int signal) {
    return result_of((int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0));
}

int relight_memfd_create(const char *name) { return result_of(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING)); }

int relight_memfd_seal(int fd) {
    return result_of(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL));
}

int relight_memfd_is_sealed(int fd) {
    const int wanted = F_SEAL_SHRINK | F_SEAL_WRITE;
    int seals = fcntl(fd, F_GET_SEALS);
    return seals < 0 ? -errno : (seals & wanted) == wanted;
}

int relight_socketpair(int fds[2]) {
    return result_of(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds));
}

int relight_accept(int fd) {
    int accepted;
    do
        accepted = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    while (accepted < 0 && errno == EINTR);
    return result_of(accepted);
}

static int unix_address(const char *path, struct sockaddr_un *address) {
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof address->sun_path) return -ENAMETOOLONG;
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, path, length + 1);
    return 0;
}

int relight_unix_listen(const char *path, unsigned mode) {
    struct sockaddr_un address;
    int error = unix_address(path, &address);
    if (error < 0) return error;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -errno;
    // A connection is refused until listen(), so nobody gets in between bind() and chmod().
    if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || chmod(path, mode) < 0 || listen(fd, 128) < 0) {
        error = -errno;
        close(fd);
        return error;
    }
    return fd;
}

int relight_unix_connect(const char *path) {
    struct sockaddr_un address;
    int error = unix_address(path, &address);
    if (error < 0) return error;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    int connected;
    do
        connected = connect(fd, (struct sockaddr *)&address, sizeof address);
    while (connected < 0 && errno == EINTR);
    if (connected < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) < 0) {
        error = -errno;
        close(fd);
        return error;
    }
    return fd;
}

int relight_set_nonblocking(int fd) {
    int flags = fcntl(fd, F_GETFL);
    return flags < 0 ? -errno : result_of(fcntl(fd, F_SETFL, flags | O_NONBLOCK));
}

int relight_dup_cloexec(int fd) { return result_of(fcntl(fd, F_DUPFD_CLOEXEC, 3)); }

int relight_set_subreaper(void) { return result_of(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)); }

int relight_trim_heap(void) {
#ifdef __GLIBC__
    return malloc_trim(0);
#else
    return 0;
#endif
}

long relight_raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return -errno;
    limit.rlim_cur = limit.rlim_max;
    return setrlimit(RLIMIT_NOFILE, &limit) < 0 ? -errno : (long)limit.rlim_cur;
}

int relight_set_process_name(const char *name) { return result_of(prctl(PR_SET_NAME, name, 0, 0, 0)); }

int relight_peer_credentials(int fd, struct relight_peer *peer) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) < 0) return -errno;
    peer->pid = credentials.pid;
    peer->uid = credentials.uid;
    peer->gid = credentials.gid;
    return 0;
}

ssize_t relight_recv(int fd, void *buffer, size_t capacity, int fds[RELIGHT_MAX_FDS], int *fd_count) {
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int) * RELIGHT_MAX_FDS)];
    } control;
    struct iovec vector = {.iov_base = buffer, .iov_len = capacity};
    struct msghdr message = {
        .msg_iov = &vector, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    ssize_t received;
    *fd_count = 0;
    do
        received = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
    while (received < 0 && errno == EINTR);
    if (received < 0) return -errno;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        int count = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        for (int i = 0; i < count; i++) {
            int received_fd;
            memcpy(&received_fd, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
            if (*fd_count < RELIGHT_MAX_FDS)
                fds[(*fd_count)++] = received_fd;
            else
                close(received_fd);
        }
    }
    if (message.msg_flags & MSG_CTRUNC) {
        while (*fd_count > 0) close(fds[--*fd_count]);
        return -EMSGSIZE;
    }
    return received;
}

ssize_t relight_send(int fd, const void *bytes, size_t count, const int *fds, int fd_count) {
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int) * RELIGHT_MAX_FDS)];
    } control;
    struct iovec vector = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
    if (fd_count > RELIGHT_MAX_FDS) return -E2BIG;
    if (fd_count > 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)fd_count);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)fd_count);
        memcpy(CMSG_DATA(header), fds, sizeof(int) * (size_t)fd_count);
    }
    ssize_t sent;
    do
        sent = sendmsg(fd, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : sent;
}

pid_t relight_reap(pid_t pid) {
    pid_t reaped;
    do
        reaped = waitpid(pid, NULL, WNOHANG);
    while (reaped < 0 && errno == EINTR);
    return reaped < 0 ? -errno : reaped;
}
