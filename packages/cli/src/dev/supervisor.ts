import { type Child, StartError } from './process/child.ts'
import type { ClientSide } from './client-side.ts'
import { within } from './conversation/within.ts'

/** A server process. */
export type Supervised = Pick<Child, keyof Child>

export interface SupervisorOptions {
  /** Starts a process in advance. `onImport` is called with the URL of each file that the process imports. */
  readonly spawn: (generation: number, onImport: (url: string) => void) => Promise<Supervised>
  readonly clients: ClientSide
  /** Whether to end the old process before the new one starts. */
  readonly stopFirst: boolean
  readonly onImport: (url: string) => void
  readonly print: (text: string) => void
}

/** How long running calls may continue after a change, in ms. */
const DRAIN_MS = 2_000
/** The delay before a restart after a crash, in ms. It doubles with each crash. */
const FIRST_RETRY_MS = 200
const LAST_RETRY_MS = 5_000
/** The time after which a slow start is reported, in ms. */
const SLOW_START_MS = 10_000

/**
 * Keeps one of the server's processes running. After a change, the new process starts before the old one is
 * ended, so clients stay connected even if the new code does not start.
 */
export class Supervisor {
  readonly #options: SupervisorOptions
  #generation = 0
  #stopFirst: boolean
  #active: Supervised | undefined
  #candidate: Supervised | undefined
  /** The spare process. It is ready to import the file. */
  #spare: Promise<Supervised> | undefined
  #spareTimer: NodeJS.Timeout | undefined
  /** The files that the spare process has already loaded. */
  #spareImports = new Set<string>()
  #crashes = 0
  #activeSince = 0
  #retry: NodeJS.Timeout | undefined
  #attempt = 0
  #closed = false
  /** `served` if any process has served; otherwise, `failed` if a start has failed. */
  #outcome: 'failed' | 'served' | undefined
  /** With `stopFirst`, resolves when the old process has exited. */
  #retiring: Promise<void> = Promise.resolve()
  readonly #children = new Set<Supervised>()

  constructor(options: SupervisorOptions) {
    this.#options = options
    this.#stopFirst = options.stopFirst
  }

  /** Starts the server for the first time. */
  start(): void {
    void this.#replace()
  }

  /** Restarts the server because the files with these URLs have changed. */
  change(urls: readonly string[]): void {
    if (this.#closed) return
    if (urls.some((url) => this.#spareImports.has(url) || CONFIGURATION.test(url))) this.#dropSpare()
    this.#crashes = 0
    void this.#replace()
  }

  /** Ends all processes. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#retry)
    this.#dropSpare()
    await Promise.all([...this.#children].map((child) => child.stop()))
  }

  async #replace(): Promise<void> {
    const from = performance.now()
    const attempt = ++this.#attempt
    const isStale = (): boolean => this.#closed || attempt !== this.#attempt
    clearTimeout(this.#retry)
    this.#candidate?.kill()
    this.#candidate = undefined
    if (this.#stopFirst) {
      if (this.#active !== undefined) this.#retiring = this.#retire(this.#active)
      await this.#retiring
    }
    if (isStale()) return
    const child = await this.#takeSpare()
    if (isStale()) return child.kill()
    this.#candidate = child
    try {
      await this.#start(child)
      if (isStale()) return child.kill()
      this.#switchTo(child)
      this.#reportStart(performance.now() - from)
    } catch (error) {
      child.kill()
      if (isStale()) return
      this.#candidate = undefined
      await this.#failed(error)
    }
  }

  async #start(child: Supervised): Promise<void> {
    const slow = setTimeout(
      () => this.#options.print('The server has not started to serve yet'),
      SLOW_START_MS,
    )
    try {
      child.start()
      await child.ready
      await this.#options.clients.prepare(child)
      if (child.ended) throw new StartError('exited', `The server ${await child.exited}`)
    } finally {
      clearTimeout(slow)
    }
  }

  #switchTo(child: Supervised): void {
    const old = this.#active
    this.#candidate = undefined
    this.#active = child
    this.#activeSince = Date.now()
    this.#options.clients.use(child)
    void child.exited.then((how) => this.#ended(child, how))
    if (old !== undefined) void this.#retire(old)
    // The spare process is started later, because clients need the CPU now.
    this.#spareTimer = setTimeout(() => this.#spawnSpare(), SPARE_DELAY_MS)
  }

  /** Prints nothing about a first start that succeeds, because the author has just started the command. */
  #reportStart(ms: number): void {
    const what = this.#outcome === 'served' ? 'Restarted' : 'Started'
    if (this.#outcome !== undefined) this.#options.print(`${what} in ${(ms / 1_000).toFixed(1)} s`)
    this.#outcome = 'served'
  }

  async #failed(error: unknown): Promise<void> {
    this.#outcome ??= 'failed'
    const { print } = this.#options
    const failure = error instanceof StartError ? error : undefined
    const message = error instanceof Error ? error.message : String(error)
    if (failure?.reason === 'port-in-use' && this.#active !== undefined) {
      print(
        `${message}: from now on the old process ends before the new one starts. Read the port from PORT to avoid this`,
      )
      this.#stopFirst = true
      return this.#replace()
    }
    if (this.#active !== undefined) return print(`${message}\nThe code before the change goes on serving`)
    if (failure?.needsChange === true) return print(`${message}\nWaiting for a change`)
    this.#retryLater(message)
  }

  #ended(child: Supervised, how: string): void {
    if (this.#active !== child || this.#closed) return
    this.#active = undefined
    if (Date.now() - this.#activeSince > LAST_RETRY_MS) this.#crashes = 0
    if (this.#candidate === undefined) this.#retryLater(`The server ${how}`)
    else this.#options.print(`The server ${how}`)
  }

  #retryLater(message: string): void {
    const ms = Math.min(FIRST_RETRY_MS * 2 ** this.#crashes++, LAST_RETRY_MS)
    this.#options.print(`${message}\nIt starts again in ${ms / 1_000} s, or after a change`)
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => void this.#replace(), ms)
  }

  /** Waits until a process has finished its calls, and then ends it. */
  async #retire(child: Supervised): Promise<void> {
    if (this.#active === child) this.#active = undefined
    await within(DRAIN_MS, Promise.race([this.#options.clients.drained(child), child.exited])).catch(() => {})
    await child.stop()
  }

  #spawnSpare(): void {
    // Each spare process has its own set of imports, because the process in use may import files that the next one
    // has not loaded.
    const imports = new Set<string>()
    this.#spareImports = imports
    this.#spare = this.#spawn((url) => imports.add(url))
  }

  async #takeSpare(): Promise<Supervised> {
    clearTimeout(this.#spareTimer)
    const taken = this.#spare
    this.#spare = undefined
    this.#spareImports = new Set()
    const spare = await taken
    if (spare !== undefined && !spare.ended) return spare
    return this.#spawn(() => {})
  }

  async #spawn(onSpareImport: (url: string) => void): Promise<Supervised> {
    const { spawn, clients, onImport } = this.#options
    const child = await spawn(++this.#generation, (url) => {
      onImport(url)
      onSpareImport(url)
    })
    this.#children.add(child)
    void child.exited.then(() => {
      this.#children.delete(child)
      clients.lost(child)
    })
    if (this.#closed) child.kill()
    return child
  }

  #dropSpare(): void {
    clearTimeout(this.#spareTimer)
    const spare = this.#spare
    this.#spare = undefined
    this.#spareImports = new Set()
    void spare?.then((child) => child.kill())
  }
}

const SPARE_DELAY_MS = 50
/** Matches files that are read before a process imports the server's file. */
const CONFIGURATION = /\/(?:tsconfig|package)\.json$/
