import { type ChildProcess, spawn } from 'node:child_process'
import process from 'node:process'
import { http } from '@jetway/client/http'
import { ChildProcessTransport, type Spawn } from '@jetway/client/stdio'
import { duplex, type TransportFactory } from '@jetway/client'
import type { Transport, TransportClose, TransportHandlers } from '@jetway/core/transport'
import { CliError } from '../errors.ts'
import type { HarnessReport } from '../harness-report.ts'
import { harnessArguments } from '../own-files.ts'
import { servesNothing } from '../server-file/find-server.ts'
import { freePort } from '../server-file/free-port.ts'

export interface StartFileOptions {
  readonly path: string
  readonly exportName: string | undefined
  /** The arguments of the file. @default none */
  readonly args?: readonly string[]
  /** Environment variables for the process, in addition to the user's. */
  readonly env?: Readonly<Record<string, string>>
  readonly stderr: (line: string) => void
}

/** A running server file. */
export interface StartedFile {
  readonly target: TransportFactory
  /** The URL if the file serves HTTP. Undefined if it serves stdio. */
  readonly url?: string
  /** The name of the export to serve, if the file does not serve on its own. */
  readonly definition?: string
  /** Ends the process. */
  readonly close: () => Promise<void>
}

/** How long a program may take to start serving, in ms. */
const START_MS = 30_000

/** Runs a file in the harness. Resolves when it is known how the file serves. @throws CliError */
export async function startFile(options: StartFileOptions): Promise<StartedFile> {
  const first = await launch(options)
  const close = (): Promise<void> => first.transport.close()
  if (first.report.serves === 'http') {
    const url = `http://127.0.0.1:${first.report.port}/mcp`
    // Closing its input does not end a program that serves HTTP.
    const stop = (): Promise<void> => {
      first.terminate()
      return close()
    }
    return { target: http(url), url, close: stop }
  }
  if (first.report.serves !== 'stdio') {
    await close()
    const { serves, message, hint } = first.report
    throw new CliError(serves === 'unclear' ? 'usage' : 'unreachable', message, { hint })
  }
  // A client may connect a second time if the server exited on a request in a newer revision.
  let next: Launched | undefined = first
  const target = (): ReturnType<TransportFactory> => {
    const launched = next
    next = undefined
    return duplex(stdioOf(async () => launched ?? (await launch(options))))
  }
  const { definition } = first.report
  return { target, close, ...(definition !== undefined && { definition }) }
}

interface Launched {
  readonly transport: ChildProcessTransport
  readonly report: HarnessReport
  /** Sends SIGTERM. */
  terminate(): void
  /** Passes on the messages and the exit of the process, even if the process has already exited. */
  attach(handlers: TransportHandlers): void
}

async function launch({ path, exportName, args, env, stderr }: StartFileOptions): Promise<Launched> {
  let handlers: TransportHandlers | undefined
  let closed: TransportClose | undefined
  let child: ChildProcess | undefined
  let onReport!: (report: HarnessReport) => void
  let onClose!: (error: unknown) => void
  const reported = new Promise<HarnessReport>((resolve, reject) => {
    onReport = resolve
    onClose = reject
  })
  const transport = new ChildProcessTransport({
    command: process.execPath,
    args: harnessArguments(path, exportName, args),
    inheritEnv: 'all',
    // Many programs read their port from this variable. It is set to a free port, because many programs treat 0 as
    // unset.
    env: { ...env, PORT: String(await freePort()) },
    stderr,
    spawn: (...given) => (child = spawnWithChannel(given, onReport)),
  })
  await transport.start({
    message: (text) => handlers?.message(text),
    malformed: (reason) => handlers?.malformed(reason),
    close(reason) {
      closed = reason
      handlers?.close(reason)
      onClose(ended(path, reason))
    },
  })
  const report = await within(reported, transport, path)
  return {
    transport,
    report,
    terminate() {
      child?.kill('SIGTERM')
    },
    attach(given) {
      handlers = given
      if (closed !== undefined) given.close(closed)
    },
  }
}

function ended(path: string, reason: TransportClose): CliError {
  const cause = reason.kind === 'error' ? reason.error : undefined
  const message = cause instanceof Error ? cause.message : 'Its process ended with code 0'
  return new CliError('unreachable', `${path} does not serve. ${message}`, {
    cause,
    hint: servesNothing(path).hint,
  })
}

async function within(reported: Promise<HarnessReport>, transport: ChildProcessTransport, path: string) {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new CliError('unreachable', `${path} serves nothing after ${START_MS / 1_000} s`)),
      START_MS,
    )
  })
  try {
    return await Promise.race([reported, late])
  } catch (error) {
    await transport.close()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** Starts the process with an IPC channel for the harness's report. */
function spawnWithChannel(
  [command, args, { cwd, env, stdio, detached, windowsHide }]: Parameters<Spawn>,
  onReport: (report: HarnessReport) => void,
): ChildProcess {
  const child = spawn(command, args, { cwd, env, stdio: [...stdio, 'ipc'], detached, windowsHide })
  child.once('message', (message) => {
    onReport(message as HarnessReport)
    child.channel?.unref()
  })
  return child
}

/** Creates a transport for a process that is already running. */
function stdioOf(start: () => Promise<Launched>): Transport {
  let launched: Launched | undefined
  return {
    byteStream: true,
    async start(handlers) {
      launched = await start()
      launched.attach(handlers)
    },
    send: (message, options) => launched?.transport.send(message, options),
    close: async () => launched?.transport.close(),
  }
}
