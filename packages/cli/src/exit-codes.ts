/**
 * The exit codes of all commands. They are the same as those of MCP Inspector 2, so that scripts can use either
 * tool.
 */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  authorizationNeeded: 3,
  unreachable: 4,
  /** The tool returned `isError`. */
  toolError: 5,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]
