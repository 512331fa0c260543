import type { McpServer } from '@jetway/core'

/** The exports of a server's file. */
export type Exports = Readonly<Record<string, unknown>>

/** Thrown if the export is ambiguous or missing. The user must then name an export with `--export`. */
export class ExportError extends Error {
  override name = 'ExportError'
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}

/**
 * Finds the server that a file exports: the named export, the default export, `server`, or the only server.
 * Returns undefined for a program that serves on its own.
 *
 * @throws ExportError
 */
export function findServer(file: string, exported: Exports, name: string | undefined): McpServer | undefined {
  const servers = Object.entries(exported).filter((entry): entry is [string, McpServer] => isServer(entry[1]))
  const find = (wanted: string): McpServer | undefined => servers.find(([key]) => key === wanted)?.[1]
  if (name !== undefined && find(name) === undefined) {
    const names = Object.keys(exported).join(', ') || 'nothing'
    throw new ExportError(`${file} exports no McpServer as ${name}`, `It exports ${names}`)
  }
  if (servers.some(([, server]) => server.stats().mounts > 0)) return undefined
  const chosen = name === undefined ? (find('default') ?? find('server')) : find(name)
  if (chosen === undefined && new Set(servers.map(([, server]) => server)).size > 1) {
    const names = servers.map(([key]) => key).join(', ')
    throw new ExportError(`${file} exports several servers: ${names}`, 'Choose one with --export')
  }
  return chosen ?? servers[0]?.[1]
}

/**
 * Recognizes a server by its members, including a server of `@jetway/core/edge`. A project may contain several
 * copies of `@jetway/core`, so `instanceof` does not work.
 */
function isServer(value: unknown): value is McpServer {
  if (typeof value !== 'object' || value === null) return false
  const { addTool, stats } = value as Partial<Record<string, unknown>>
  return typeof addTool === 'function' && typeof stats === 'function'
}

/** Returns the error for a file that exits without serving. */
export const servesNothing = (file: string): { readonly message: string; readonly hint: string } => ({
  message: `${file} exports no McpServer of @jetway/core, and serves nothing`,
  hint: 'Export an McpServer, or serve one until the input ends',
})
