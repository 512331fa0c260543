/** The exit codes of every command. They are those of the MCP Inspector 2, so that scripts can use either. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  authorizationNeeded: 3,
  unreachable: 4,
  /** The tool answered `isError`. */
  toolError: 5,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]
