import type { HttpOptions } from '../http/options.ts'
import type { ChildProcessOptions } from '../stdio/options.ts'

/** A server that is run as a child process. */
export interface StdioServer extends ChildProcessOptions {
  /** May be left out: `command` says the same. */
  readonly transport?: 'stdio'
}

/** A server at a URL. `auth` gives every request its credentials; without it the server is asked anonymously. */
export interface RemoteServer extends HttpOptions {
  /**
   * - `http`: Streamable HTTP of either era, and HTTP+SSE where the server turns that down.
   * - `sse`: HTTP+SSE alone.
   *
   * @default 'http'
   */
  readonly transport?: 'http' | 'sse'
  /** Of http or https. Its query goes with every request; a user and password it may not hold. */
  readonly url: string | URL
}

/** How one server is reached, as data: what `dial` and `connect` take, and what `loadConfig` makes of files. */
export type ServerConfig = StdioServer | RemoteServer

/** The fields of each kind, held to the types by the compiler. */
const STDIO_FIELDS: Readonly<Record<keyof StdioServer, true>> = {
  transport: true,
  command: true,
  args: true,
  env: true,
  inheritEnv: true,
  cwd: true,
  stderr: true,
  stop: true,
  maxLineBytes: true,
  spawn: true,
}
const REMOTE_FIELDS: Readonly<Record<keyof RemoteServer, true>> = {
  transport: true,
  url: true,
  headers: true,
  auth: true,
  fetch: true,
  maxMessageBytes: true,
  parseLimits: true,
  openTimeoutMs: true,
  closeTimeoutMs: true,
  endSession: true,
  reconnect: true,
}

const isField = (fields: Readonly<Record<string, true>>, name: string): boolean => Object.hasOwn(fields, name)

/**
 * Tells the two kinds apart, for configurations that the compiler has not seen. No message repeats a value: URLs,
 * arguments and headers hold secrets.
 *
 * @throws TypeError that says what to write
 */
export function isStdio(config: ServerConfig): config is StdioServer {
  if (typeof config !== 'object' || config === null)
    throw new TypeError('A server is { command, args } for a process, or { url } for an address')
  const given: { readonly [field: string]: unknown } = { ...config }
  const transport = given['transport'] ?? (given['url'] === undefined ? 'stdio' : 'http')
  if (transport !== 'stdio' && transport !== 'http' && transport !== 'sse')
    throw new TypeError(
      "A server's transport is 'stdio', 'http' or 'sse'; leave it out, and it follows from the rest",
    )
  const stdio = transport === 'stdio'
  if (given['command'] !== undefined && given['url'] !== undefined)
    throw new TypeError('A server has a command or a url, not both: make two servers of it')
  if (stdio) checkStdio(given)
  else checkRemote(given)
  checkFields(given, stdio)
  return stdio
}

function checkStdio({ command, args, transport }: { readonly [field: string]: unknown }): void {
  if (typeof command !== 'string' || command === '')
    throw new TypeError(
      transport === undefined
        ? 'A server needs a command, for a process, or a url'
        : "A server with the transport 'stdio' needs a command: the program to run",
    )
  const isList = args === undefined || (Array.isArray(args) && args.every((arg) => typeof arg === 'string'))
  if (!isList) throw new TypeError("A server's args are a list of texts: no shell splits them")
}

function checkRemote({ url }: { readonly [field: string]: unknown }): void {
  const text = url instanceof URL ? url.href : url
  // The error of `new URL` repeats the address.
  if (typeof text !== 'string' || !URL.canParse(text))
    throw new TypeError("A server's url is an absolute one, such as https://example.com/mcp")
}

/** What is misspelt, or meant for the other kind, would silently not count: a header with a token, for one. */
function checkFields(given: { readonly [field: string]: unknown }, stdio: boolean): void {
  const [own, other] = stdio ? [STDIO_FIELDS, REMOTE_FIELDS] : [REMOTE_FIELDS, STDIO_FIELDS]
  const odd = Object.keys(given).find((name) => given[name] !== undefined && !isField(own, name))
  if (odd === undefined) return
  const kind = stdio ? 'runs as a process' : 'has a url'
  throw new TypeError(
    isField(other, odd)
      ? `A server that ${kind} takes no ${odd}`
      : `A server has no field ${JSON.stringify(odd)}; this one takes ${Object.keys(own).join(', ')}`,
  )
}
