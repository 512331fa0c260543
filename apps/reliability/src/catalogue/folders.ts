import type { Group } from './row.ts'

export const FOLDERS: Group = {
  title: 'Files and folders from elsewhere',
  rows: [
    {
      row: 'K1',
      fault: 'A named pipe, a device, a huge file, or deep nesting in place of a configuration file',
      behaviour:
        'An error at once, and nothing changes. The command reads at most 64 MiB, `loadConfig` 4 MiB. `--config <(program)` works. A file of 8 MiB is changed in 1 s of processor time and 150 MiB of memory.',
      tests: [
        { file: 'packages/cli/test/install/edges.test.ts', name: 'fails immediately if the file is %s' },
        {
          file: 'packages/cli/test/install/edges.test.ts',
          name: 'rejects a file larger than 64 MiB without reading it',
        },
        {
          file: 'packages/cli/test/install/large-file.system.test.ts',
          name: 'with %s, takes at most %d s of CPU time and 150 MiB of memory to edit',
        },
        {
          file: 'packages/cli/test/install/edges.test.ts',
          name: 'reports a %s file that is nested too deeply',
        },
        {
          file: 'packages/client/test/config/load-config.test.ts',
          name: 'throws immediately if the path is %s',
        },
        {
          file: 'packages/client/test/config/load-config.test.ts',
          name: 'reads from a pipe that the shell passes as a file descriptor',
        },
      ],
    },
    {
      row: 'K2',
      fault: 'Links in a folder that `jetway dev --watch` watches',
      behaviour:
        'Links below the folder are not followed. What cannot be watched is printed; the rest is watched.',
      tests: [
        {
          file: 'packages/cli/test/dev/watch.test.ts',
          name: 'does not follow symbolic links inside the folder of a pattern',
        },
        {
          file: 'packages/cli/test/dev/watch.test.ts',
          name: 'reports links that cannot be watched, and watches the rest',
        },
        { file: 'packages/cli/test/dev/watch.test.ts', name: 'does not watch .env if it is a folder' },
      ],
    },
    {
      row: 'K3',
      fault: "Secrets in a host's configuration",
      behaviour:
        'Only the owner can read a copy of the file. `--dry-run` shows neither values of variables and headers, nor secrets in arguments and URLs, nor other entries.',
      tests: [
        {
          file: 'packages/cli/test/install/edges.test.ts',
          name: 'makes backups readable only by the owner, because they may contain a secret',
        },
        {
          file: 'packages/cli/test/install/install.test.ts',
          name: 'with --dry-run, masks a multi-line secret for %s',
        },
        {
          file: 'packages/cli/test/install/install.test.ts',
          name: 'with --dry-run, prints only the changed part of a file with %s',
        },
      ],
    },
    {
      row: 'K4',
      fault: '`sudo jetway install`',
      behaviour: 'Files, copies and new folders belong to the owner of the file or of its folder.',
      tests: [
        {
          file: 'packages/cli/test/install/edges.test.ts',
          name: "preserves the file's owner, even when run as root",
        },
      ],
    },
    {
      row: 'K5',
      fault: 'Control characters and line breaks in names, with and without `--json`',
      behaviour: 'They are replaced, or escaped in JSON. A name never begins a line.',
      tests: [
        {
          file: 'packages/cli/test/terminal.test.ts',
          name: 'escapes characters that could affect a terminal, without changing the JSON value',
        },
        {
          file: 'packages/cli/test/list/report.test.ts',
          name: 'prevents a name with a line break from imitating another entry',
        },
      ],
    },
    {
      row: 'K6',
      fault: "A request with another client's session id while `jetway dev` restarts",
      behaviour:
        'Only the client that opened the session can reopen it, and the session stays open for that client.',
      tests: [
        {
          file: 'packages/cli/test/dev/http/sessions.test.ts',
          name: 'is not opened in a new process for a caller whose credentials the process refuses',
        },
      ],
    },
  ],
}
