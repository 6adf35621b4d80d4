// SPDX-License-Identifier: Apache-2.0
// Copyright (c) the Relight authors

#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

_Static_assert(sizeof(((struct clone_args *)0)->cgroup) == 8, "clone_args knows CLONE_INTO_CGROUP");

#define HIGH_FD 64

// Runs between clone and execve: async-signal-safe calls only, no allocation. Ends by execve, or by writing errno.
static void run_child(const struct relight_spawn_request *request, int error_fd) {
    int error;
    struct sigaction action = {.sa_handler = SIG_DFL};
    for (int signal = 1; signal < NSIG; signal++)
        if (signal != SIGKILL && signal != SIGSTOP) sigaction(signal, &action, NULL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();

    // All sources first move above the targets, so that no dup2 overwrites one that is still needed.
    int high[RELIGHT_MAX_FDS];
    for (int i = 0; i < request->fd_count; i++) {
        int source = request->fds[i] >= 0 ? request->fds[i] : open("/dev/null", O_RDWR | O_CLOEXEC);
        if (source < 0) goto failed;
        high[i] = fcntl(source, F_DUPFD_CLOEXEC, HIGH_FD);
        if (high[i] < 0) goto failed;
    }
    int report = fcntl(error_fd, F_DUPFD_CLOEXEC, HIGH_FD);
    if (report < 0) goto failed;
    error_fd = report;
    for (int i = 0; i < request->fd_count; i++)
        if (dup2(high[i], i) < 0) goto failed;
    // What this process did not mean to pass on is closed by execve, whoever opened it and however.
    if (syscall(SYS_close_range, (unsigned)request->fd_count, ~0U, 4 /* CLOSE_RANGE_CLOEXEC */) < 0) goto failed;
    if (request->directory && chdir(request->directory) < 0) goto failed;
    execve(request->path, (char *const *)request->argv, (char *const *)request->envp);
failed:
    error = errno;
    ssize_t ignored = write(error_fd, &error, sizeof error);
    (void)ignored;
    _exit(127);
}

static pid_t start(int cgroup_fd, int *pidfd, int *in_cgroup) {
    struct clone_args arguments = {
        .flags = CLONE_PIDFD | (cgroup_fd >= 0 ? CLONE_INTO_CGROUP : 0),
        .pidfd = (uint64_t)(uintptr_t)pidfd,
        .exit_signal = SIGCHLD,
        .cgroup = cgroup_fd >= 0 ? (uint64_t)cgroup_fd : 0,
    };
    *pidfd = -1;
    *in_cgroup = 0;
    pid_t pid = (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
    if (pid >= 0) {
        *in_cgroup = cgroup_fd >= 0;
        return pid;
    }
    // Old kernels, seccomp filters and cgroups that take no processes: a plain fork does as well.
    if (errno != ENOSYS && errno != EPERM && errno != E2BIG && !(cgroup_fd >= 0 && errno != EAGAIN && errno != ENOMEM))
        return -1;
    return fork();
}

int relight_spawn(const struct relight_spawn_request *request, struct relight_spawn_result *result) {
    int pipe_fds[2];
    if (request->fd_count > RELIGHT_MAX_FDS) return -E2BIG;
    if (pipe2(pipe_fds, O_CLOEXEC) < 0) return -errno;

    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int pidfd = -1, in_cgroup = 0;
    pid_t pid = start(request->cgroup_fd, &pidfd, &in_cgroup);
    int error = pid < 0 ? errno : 0;
    if (pid == 0) run_child(request, pipe_fds[1]);
    pthread_sigmask(SIG_SETMASK, &before, NULL);

    close(pipe_fds[1]);
    if (pid > 0) {
        ssize_t got;
        int reported = 0;
        do
            got = read(pipe_fds[0], &reported, sizeof reported);
        while (got < 0 && errno == EINTR);
        if (got == sizeof reported) error = reported;
        if (!error && pidfd < 0) {
            // The child is ours and not reaped, so its PID cannot have been given to another process.
            pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
            if (pidfd < 0) {
                error = errno;
                kill(pid, SIGKILL);
            }
        }
        if (error) {
            while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {}
            if (pidfd >= 0) close(pidfd);
        }
    }
    close(pipe_fds[0]);
    if (error) return -error;
    result->pid = pid;
    result->pidfd = pidfd;
    result->in_cgroup = in_cgroup;
    return 0;
}
