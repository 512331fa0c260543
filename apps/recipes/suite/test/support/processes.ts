import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { folderOf, type Recipe } from './recipes.ts'

export const TOKEN = 'token'

/** The time limit for a build, and for a start on a busy machine. */
export const LIMIT_MS = 150_000

const ENV = {
  ...process.env,
  HOST: '127.0.0.1',
  NEXT_TELEMETRY_DISABLED: '1',
  NODE_ENV: 'production',
  NO_COLOR: '1',
  PORT: '0',
  TOKEN,
}

/** A running recipe. */
export interface Running {
  readonly url: string
  /** Sends SIGTERM. */
  terminate(): void
  readonly exit: Promise<unknown>
  stop(): Promise<void>
}

/** Builds a recipe if necessary, and starts it. Its process is killed when this one exits. */
export async function startRecipe({ folder, build, start, needsPort }: Recipe): Promise<Running> {
  if (build !== undefined) await within(run(folder, build, ENV), finish)
  const chosen = needsPort === true ? await freePort() : undefined
  const child = run(folder, start, chosen === undefined ? ENV : { ...ENV, PORT: String(chosen) })
  const exit = once(child, 'exit')
  return {
    url: `http://127.0.0.1:${await within(child, chosen === undefined ? portOf : (own) => listening(own, chosen))}/mcp`,
    terminate: () => void child.kill('SIGTERM'),
    exit,
    stop: async () => {
      child.kill('SIGKILL')
      await exit
    },
  }
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await once(probe.listen(0, '127.0.0.1'), 'listening')
  const { port } = probe.address() as AddressInfo
  await once(probe.close(), 'close')
  return port
}

function run(folder: string, [file = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(file, args, {
    cwd: fileURLToPath(folderOf(folder)),
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  return child
}

/** Kills a process that takes too long, so that promises that wait for it reject. */
async function within<Result>(
  child: ChildProcess,
  wait: (child: ChildProcess) => Promise<Result>,
): Promise<Result> {
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
  try {
    return await wait(child)
  } finally {
    clearTimeout(timer)
  }
}

async function finish(child: ChildProcess): Promise<void> {
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said += String(chunk)))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`The build failed: ${said}`)
}

/**
 * Resolves to the port in the first line that contains one. Rejects with the output if the process exits first.
 */
function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = ''
    const read = (chunk: unknown): void => {
      said += String(chunk)
      const port = /(?:127\.0\.0\.1:|Port )(\d+)\D/.exec(said)?.[1]
      if (port !== undefined) resolve(Number(port))
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('error', reject)
    child.once('close', () => reject(new Error(`The process ended before it listened: ${said}`)))
  })
}

/** Waits until a process accepts connections. */
async function listening(child: ChildProcess, port: number): Promise<number> {
  while (child.exitCode === null && child.signalCode === null) {
    const socket = connect(port, '127.0.0.1')
    try {
      await once(socket, 'connect')
      return port
    } catch {
      await delay(50)
    } finally {
      socket.destroy()
    }
  }
  throw new Error('The process ended before it listened')
}
