import { HOSTS } from '../hosts/index.ts'

/** The options of commands that take a target. */
export const TARGET_OPTIONS = {
  export: { type: 'string', placeholder: 'NAME', help: 'the export of the file that is the server' },
  config: { type: 'string', placeholder: 'FILE', help: 'a configuration file of a host' },
  server: { type: 'string', placeholder: 'NAME', help: 'the server in --config' },
  project: { type: 'boolean', help: 'start servers from the files of this project without asking' },
  header: {
    type: 'string',
    placeholder: "'K: V'",
    multiple: true,
    help: 'a header for a URL; may be repeated',
  },
  'bearer-env': {
    type: 'string',
    placeholder: 'NAME',
    help: 'the environment variable that has the token for a URL',
  },
  revision: { type: 'string', placeholder: 'DATE', help: 'use this revision of the protocol' },
  timeout: {
    type: 'string',
    placeholder: 'SECONDS',
    help: 'time for a request without progress (default 60)',
  },
} as const

export type TargetOptions = typeof TARGET_OPTIONS

export const TARGET_NOTES: string = `A target is one of:
  server.ts          a file that exports an McpServer, or a program that serves itself
  https://host/mcp   a URL
  cursor:weather     a server of a host
  --config FILE --server NAME   a server of a configuration file
  -- command args    a command, at the end of the line

A host is one of: ${HOSTS.map(({ id }) => id).join(', ')}`
