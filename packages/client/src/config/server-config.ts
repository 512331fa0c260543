import type { OptionNames } from '@jetway/core/protocol'
import { HTTP_OPTION_NAMES, type HttpOptions } from '../http/options.ts'
import type { ChildProcessOptions } from '../stdio/options.ts'

/** A server that is started as a child process. */
export interface StdioServer extends ChildProcessOptions {
  /** The transport. It can be omitted if there is a `command`. */
  readonly transport?: 'stdio'
}

/** A server at a URL. */
export interface RemoteServer extends HttpOptions {
  /**
   * - `http`: Streamable HTTP, or HTTP+SSE if the server refuses Streamable HTTP.
   * - `sse`: HTTP+SSE.
   *
   * @default 'http'
   */
  readonly transport?: 'http' | 'sse'
  /** The server's URL, without a user name or password. */
  readonly url: string | URL
}

/** The configuration of one server, for `transportFor` and `connect`. `loadConfig` returns it. */
export type ServerConfig = StdioServer | RemoteServer

/** The fields of a process's configuration, typed so that the compiler detects missing ones. */
const STDIO_FIELDS: OptionNames<StdioServer> = {
  transport: 1,
  command: 1,
  args: 1,
  env: 1,
  inheritEnv: 1,
  cwd: 1,
  stderr: 1,
  stop: 1,
  maxLineBytes: 1,
  spawn: 1,
}
const REMOTE_FIELDS: OptionNames<RemoteServer> = {
  transport: 1,
  url: 1,
  ...HTTP_OPTION_NAMES,
}

/**
 * Returns whether the server is a process. Error messages do not contain values, because these may be secret.
 * @throws TypeError
 */
export function isStdio(config: ServerConfig): config is StdioServer {
  if (typeof config !== 'object' || config === null)
    throw new TypeError('A server must be { command, args } or { url }')
  const given: { readonly [field: string]: unknown } = { ...config }
  const transport = given['transport'] ?? (given['url'] === undefined ? 'stdio' : 'http')
  if (transport !== 'stdio' && transport !== 'http' && transport !== 'sse')
    throw new TypeError(
      "A server's transport must be 'stdio', 'http' or 'sse'. Without it, the other fields decide",
    )
  const stdio = transport === 'stdio'
  if (given['command'] !== undefined && given['url'] !== undefined)
    throw new TypeError('Set either command or url, not both')
  if (stdio) checkStdio(given)
  else checkRemote(given)
  checkFields(given, stdio)
  return stdio
}

function checkStdio({ command, args, transport }: { readonly [field: string]: unknown }): void {
  if (typeof command !== 'string' || command === '')
    throw new TypeError(
      transport === undefined
        ? 'A server needs a command or a url'
        : "A server with the transport 'stdio' needs a command: the program to run",
    )
  const isList = args === undefined || (Array.isArray(args) && args.every((arg) => typeof arg === 'string'))
  if (!isList)
    throw new TypeError("A server's args must be a list of strings: there is no shell to split them")
}

function checkRemote({ url }: { readonly [field: string]: unknown }): void {
  const text = url instanceof URL ? url.href : url
  // The error thrown by `new URL` would contain the URL.
  if (typeof text !== 'string' || !URL.canParse(text))
    throw new TypeError("A server's url must be absolute, such as https://example.com/mcp")
}

/** Rejects unknown fields. A misspelled field would be silently ignored, even if it contains a token. */
function checkFields(given: { readonly [field: string]: unknown }, stdio: boolean): void {
  const [own, other] = stdio ? [STDIO_FIELDS, REMOTE_FIELDS] : [REMOTE_FIELDS, STDIO_FIELDS]
  const odd = Object.keys(given).find((name) => given[name] !== undefined && !Object.hasOwn(own, name))
  if (odd === undefined) return
  const kind = stdio ? 'runs as a process' : 'has a url'
  throw new TypeError(
    Object.hasOwn(other, odd)
      ? `A server that ${kind} does not take ${odd}`
      : `A server has no field ${JSON.stringify(odd)}; this one takes ${Object.keys(own).join(', ')}`,
  )
}
