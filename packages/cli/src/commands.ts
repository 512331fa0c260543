import type { Command } from './command.ts'

/** An entry in the table of commands. */
export interface CommandEntry {
  /** One line for `--help`. It is stored here because `--help` must not import every command. */
  readonly summary: string
  load(): Promise<Command>
}

/** The commands, keyed by name, in the order in which `--help` lists them. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  list: {
    summary: 'Print the tools, resources and prompts of a server',
    load: async () => (await import('./list/command.ts')).command,
  },
  call: {
    summary: 'Call a tool, read a resource or get a prompt',
    load: async () => (await import('./call/command.ts')).command,
  },
  dev: {
    summary: 'Serve a file, and restart it on change while clients stay connected',
    load: async () => (await import('./dev/command.ts')).command,
  },
  install: {
    summary: 'Add a server to Claude Desktop, Cursor or another host',
    load: async () => (await import('./install/command.ts')).command,
  },
  uninstall: {
    summary: 'Remove a server from a host',
    load: async () => (await import('./install/uninstall.ts')).command,
  },
  doctor: {
    summary: 'Find out why a server does not work in a host',
    load: async () => (await import('./doctor/command.ts')).command,
  },
  bundle: {
    summary: 'Pack a server into an .mcpb file, and start it from there',
    load: async () => (await import('./bundle/command.ts')).command,
  },
  'server-json': {
    summary: 'Print the server.json of the MCP registry, and check it',
    load: async () => (await import('./server-json/command.ts')).command,
  },
  types: {
    summary: 'Write the TypeScript types of the tools of a server',
    load: async () => (await import('./types/command.ts')).command,
  },
}
