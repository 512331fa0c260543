/** Runs tests in a process that stays loaded between runs. See `runner.mjs`. */
import { fork } from 'node:child_process'
import process from 'node:process'

/**
 * The number of runs after which a new process replaces the old one, so that anything that mutants have left
 * running ends.
 */
const MAX_RUNS = 40

export class WarmTests {
  #folder
  #child
  #runs = 0
  #changed = new Set()

  /** @param {string} folder the checkout's folder */
  constructor(folder) {
    this.#folder = folder
    process.once('exit', () => this.#end())
  }

  /**
   * @param {string[]} files the absolute paths of test files
   * @param {{ changed: string, timeoutMs: number }} options `changed` is the source with the mutant
   * @returns {Promise<string | undefined>} the first file that failed, or the reason; undefined if all passed
   */
  async failure(files, { changed, timeoutMs }) {
    this.#changed.add(changed)
    if (this.#child === undefined) await this.#start()
    this.#child.send({ files, changed: [...this.#changed] })
    const failed = await this.#message(timeoutMs)
    if (++this.#runs >= MAX_RUNS || !this.#child?.connected) this.#end()
    return failed === '' ? undefined : failed
  }

  async #start() {
    this.#child = fork('scripts/mutate/runner.mjs', {
      cwd: this.#folder,
      stdio: 'ignore',
      // The process has a separate process group, so that everything that tests have started is ended with it.
      detached: true,
    })
    this.#runs = 0
    const ready = await this.#message(120_000)
    if (ready !== 'ready') throw new Error(`vitest did not start: ${ready}`)
  }

  #message(timeoutMs) {
    return new Promise((resolve) => {
      const child = this.#child
      const settle = (result) => {
        clearTimeout(timer)
        child.removeAllListeners()
        resolve(result)
      }
      const timer = setTimeout(() => {
        this.#end()
        settle('the time limit')
      }, timeoutMs)
      child.once('message', settle)
      child.once('exit', () => settle('the end of the test process'))
    })
  }

  #end() {
    const { pid } = this.#child ?? {}
    this.#child = undefined
    if (pid === undefined) return
    try {
      if (process.platform === 'win32') process.kill(pid)
      else process.kill(-pid, 'SIGKILL')
    } catch {
      // The group has already ended.
    }
  }
}
