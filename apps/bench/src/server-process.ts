import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Contender } from './contenders.ts'
import { serverPrefix } from './processors.ts'
import type { Answers, Ask, Report } from './serving/messages.ts'
import type { ProfileShares } from './serving/profile.ts'

const running = new Set<ServerProcess>()

/** Ends servers that are still running after an error. */
export async function stopServers(): Promise<void> {
  await Promise.all(Array.from(running, (server) => server.stop()))
}

/** A measured server in its own process. */
export class ServerProcess {
  readonly contender: Contender
  readonly child: ChildProcess
  port = 0
  /** The headers of every request. */
  headers: Readonly<Record<string, string>> = {}

  private constructor(contender: Contender, child: ChildProcess) {
    this.contender = contender
    this.child = child
  }

  /** Starts the built program. Resolves when it accepts requests. */
  static async start(contender: Contender): Promise<ServerProcess> {
    const server = ServerProcess.spawn(contender)
    await server.ready()
    return server
  }

  /**
   * Resolves when the process accepts requests. Call this method immediately after spawning, because the
   * process reports this only once.
   */
  async ready(): Promise<void> {
    const { port, headers } = await this.#next('ready')
    this.port = port
    this.headers = headers
  }

  /** Starts the built program without waiting. */
  static spawn(contender: Contender): ServerProcess {
    const program = fileURLToPath(new URL(`servers/${contender.program}.js`, import.meta.url))
    const [file, ...args] = [
      ...serverPrefix(),
      process.execPath,
      '--expose-gc',
      program,
      ...(contender.args ?? []),
    ]
    const child = spawn(file ?? process.execPath, args, {
      stdio: ['pipe', 'pipe', 'inherit', 'ipc'],
      env: { ...process.env, NODE_ENV: 'production' },
    })
    const server = new ServerProcess(contender, child)
    running.add(server)
    child.once('exit', () => running.delete(server))
    return server
  }

  /** Returns the process's user and system time so far, in µs. */
  async cpuMicros(): Promise<number> {
    return (await this.#ask({ ask: 'cpu' }, 'cpu')).micros
  }

  /** Returns the resident memory after a garbage collection, in bytes. */
  async memoryBytes(): Promise<number> {
    return (await this.#ask({ ask: 'memory' }, 'memory')).bytes
  }

  /**
   * Takes a CPU profile of the process while it works.
   *
   * @param file - where the process writes the profile. If undefined, the profile is not stored
   */
  async profile(work: () => Promise<unknown>, file?: string): Promise<ProfileShares> {
    await this.#ask({ ask: 'profile' }, 'profiling')
    await work()
    return (await this.#ask({ ask: 'shares', ...(file !== undefined && { file }) }, 'shares')).shares
  }

  /** Makes the server send one notification to all open streams. */
  notify(): void {
    this.child.send({ ask: 'notify' } satisfies Ask)
  }

  /** Passes the responses to a bare server. */
  async prepare(answers: Answers): Promise<void> {
    await this.#ask({ ask: 'prepare', answers }, 'prepared')
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      if (this.child.exitCode !== null || this.child.signalCode !== null) return resolve()
      this.child.once('exit', () => resolve())
      this.child.kill('SIGKILL')
    })
  }

  #ask<K extends Report['report']>(ask: Ask, kind: K): Promise<Extract<Report, { report: K }>> {
    const report = this.#next(kind)
    this.child.send(ask)
    return report
  }

  #next<K extends Report['report']>(kind: K): Promise<Extract<Report, { report: K }>> {
    return new Promise((resolve, reject) => {
      const onExit = (): void =>
        reject(new Error(`${this.contender.title} ended before the bench stopped it`))
      this.child.once('exit', onExit)
      this.child.once('message', (message: Report) => {
        this.child.off('exit', onExit)
        if (message.report === kind) resolve(message as Extract<Report, { report: K }>)
        else reject(new Error(`${this.contender.title} reported ${message.report} instead of ${kind}`))
      })
    })
  }
}
