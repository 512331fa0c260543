import type { McpServer } from '@jetway/core'

/** The exports of a server's file. */
export type Exports = Readonly<Record<string, unknown>>

/** Which export is meant is not clear: `--export` has to name one. */
export class ExportError extends Error {
  override name = 'ExportError'
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}

/**
 * The server that a file exports and does not serve: the named one, else the default export, else `server`, else the only
 * one. Undefined for a program, which serves by itself.
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

/** Not `instanceof`: the file may have another copy of `@jetway/core`. */
function isServer(value: unknown): value is McpServer {
  if (typeof value !== 'object' || value === null) return false
  const { addTool, connect, stats } = value as Partial<Record<string, unknown>>
  return [addTool, connect, stats].every((member) => typeof member === 'function')
}

/** What to say about a file that ends without serving anything. */
export const servesNothing = (file: string): { readonly message: string; readonly hint: string } => ({
  message: `${file} exports no McpServer of @jetway/core, and serves nothing`,
  hint: 'Export an McpServer, or serve one until the input ends',
})
