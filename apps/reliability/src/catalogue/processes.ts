import type { Group } from './row.ts'

export const PROCESSES: Group = {
  title: 'Processes and shutdown',
  rows: [
    {
      row: 'G1',
      fault: 'SIGTERM with calls in flight',
      behaviour:
        'New calls are refused. Running ones have 10 s over HTTP and 2 s on stdio, and are answered.',
      tests: [
        {
          file: 'apps/reliability/test/support/describe-drain.ts',
          name: 'calls in flight on %s finish',
        },
        {
          file: 'packages/stdio/test/serve.system.test.ts',
          name: 'waits for running calls on SIGTERM, and then exits with code 0',
        },
      ],
    },
    {
      row: 'G2',
      fault: 'Open streams that keep a process alive',
      behaviour: 'They end first, and at once.',
      tests: [
        { file: 'packages/core/test/http/close.test.ts', name: 'closes GET streams immediately' },
        {
          file: 'apps/weather/test/shutdown.system.test.ts',
          name: 'closes open streams and makes the app exit with code 0',
        },
      ],
    },
    {
      row: 'G3',
      fault: 'A second signal',
      behaviour: 'The process exits at once.',
      tests: [
        { file: 'packages/stdio/test/serve.system.test.ts', name: 'exits immediately on a second %s' },
        {
          file: 'apps/weather/test/shutdown.system.test.ts',
          name: 'makes the app exit immediately with code 1 if it is sent twice',
        },
      ],
    },
    {
      row: 'G4',
      fault: 'Closes that cause closes',
      behaviour: 'A close runs once, however often and from wherever it is called.',
      tests: [
        {
          file: 'packages/core/test/duplex/memory-transport.test.ts',
          name: 'closes 1,000 pairs whose close handlers call close() again',
        },
        {
          file: 'packages/core/test/duplex/connection.test.ts',
          name: 'ends running calls at the deadline, and then resolves for all callers',
        },
      ],
    },
    {
      row: 'G5',
      fault: 'The end of stdin',
      behaviour: 'An idle server exits at once with 0, others within 2 s.',
      tests: [
        {
          file: 'packages/stdio/test/serve.system.test.ts',
          name: 'exits with code 0 when the input ends',
        },
        {
          file: 'packages/stdio/test/drain.test.ts',
          name: 'gives a running call 1.8 s to finish, and leaves 0.2 s to send its response',
        },
      ],
    },
    {
      row: 'G6',
      fault: 'A broken pipe',
      behaviour: 'The server closes quietly.',
      tests: [
        {
          file: 'packages/stdio/test/broken-pipe.system.test.ts',
          name: 'closes without an error when the pipe breaks during a write',
        },
        { file: 'packages/stdio/test/transport.test.ts', name: 'ERR_STREAM_DESTROYED' },
      ],
    },
    {
      row: 'G7',
      fault: 'Closed streams of the process, stderr too',
      behaviour: 'Without stdin and stdout it exits with 0. Nothing is logged about stderr, and calls go on.',
      tests: [
        {
          file: 'packages/stdio/test/serve.system.test.ts',
          name: 'exits if all of its streams are closed while it writes a response',
        },
        {
          file: 'packages/stdio/test/serve.system.test.ts',
          name: 'continues to respond after stderr has been closed, even if tools print',
        },
      ],
    },
    {
      row: 'G8',
      fault: 'Other output on stdout',
      behaviour: 'It goes to stderr. Writes to the file descriptor itself cannot be caught.',
      tests: [
        {
          file: 'packages/stdio/test/serve.system.test.ts',
          name: 'redirects the output of tools to stderr, and warns once',
        },
        {
          file: 'packages/stdio/test/stdout-guard.test.ts',
          name: 'diverts writes from other code, and reports only the first one',
        },
      ],
    },
    {
      row: 'G9',
      fault: 'A server process that dies',
      behaviour:
        'The client rejects all calls with the reason. The manager starts it again, at most five times.',
      tests: [
        {
          file: 'packages/client/test/stdio/faults.system.test.ts',
          name: 'reject with the signal that killed the process',
        },
        {
          file: 'packages/client/test/manager/reconnecting.test.ts',
          name: 'the manager waits 1, 2, 4, 8 and 16 s before its five attempts, and then removes the server',
        },
      ],
    },
    {
      row: 'G10',
      fault: 'Processes behind wrappers',
      behaviour: 'The client ends the whole tree: the end of stdin, a signal, SIGKILL.',
      tests: [
        { file: 'packages/client/test/stdio/stop.system.test.ts', name: 'ends the server behind a wrapper' },
        {
          file: 'packages/client/test/stdio/stop.system.test.ts',
          name: 'ends a detached server whose parent has exited',
        },
        {
          file: 'packages/client/test/stdio/stop.system.test.ts',
          name: 'leaves no process behind after 20 connections',
        },
      ],
    },
    {
      row: 'G11',
      fault: 'The host’s environment in a child',
      behaviour: 'A child gets a short list of variables, and those that are given to it.',
      tests: [
        {
          file: 'packages/client/test/stdio/child-process.test.ts',
          name: 'contains only the given variables and a list of safe variables',
        },
      ],
    },
    {
      row: 'G12',
      fault: 'Commands in arguments and URLs',
      behaviour: 'No shell runs. A server’s URL is http or https, without credentials.',
      tests: [
        { file: 'packages/client/test/stdio/child-process.test.ts', name: 'does not use a shell' },
        { file: 'packages/client/test/http/eras.test.ts', name: 'rejects the URL %s' },
      ],
    },
    {
      row: 'G13',
      fault: 'A cloned project that names commands',
      behaviour:
        'The command starts none of them before the user has seen it and agreed, and gives none the whole environment.',
      tests: [
        {
          file: 'packages/cli/test/target/project-servers.system.test.ts',
          name: "does not run without the user's consent: %s",
        },
        {
          file: 'packages/cli/test/target/project-servers.system.test.ts',
          name: "shows the content of the entry's envFile, and is requested again if that file changes",
        },
        {
          file: 'packages/cli/test/target/project-servers.system.test.ts',
          name: "does not receive the user's environment variables, even if its command is named node",
        },
      ],
    },
  ],
}
