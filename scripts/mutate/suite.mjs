/** Test files of a checkout, and how they run. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { run } from '../steps.mjs'
import { WarmTests } from './warm-tests.mjs'

export class Suite {
  checkout
  #tests
  #env
  #warm

  /**
   * @param {import('./checkout.mjs').Checkout} checkout
   * @param {object} options
   * @param {string[]} options.tests the paths of test files, or of folders; all if empty
   * @param {Record<string, string>} [options.env] additional environment variables
   */
  constructor(checkout, { tests, env = {} }) {
    this.checkout = checkout
    this.#tests = tests
    this.#env = env
    this.#warm = new WarmTests(checkout.path('.'), env)
  }

  /**
   * @param {string[]} [files] those of the suite if left out
   * @returns {Promise<string[]>} the files that failed, or a reason if no file did
   */
  async run(files = this.#tests) {
    const report = this.checkout.path('mutate-report.json')
    rmSync(report, { force: true })
    const command = [
      this.checkout.path('node_modules/.bin/vitest'),
      'run',
      '--experimental.fsModuleCache',
      '--reporter=json',
      `--outputFile=${report}`,
      '--no-file-parallelism',
      '--passWithNoTests',
      ...files,
    ]
    const code = await run(command, { cwd: this.checkout.path('.'), output: 'ignore', env: this.#env })
    if (code === 0) return []
    if (!existsSync(report)) throw new Error('Vitest could not run the tests')
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
    const failed = testResults.filter(({ status }) => status === 'failed')
    return failed.length === 0
      ? ['an unhandled error']
      : failed.map(({ name }) => this.checkout.relative(name))
  }

  /**
   * Runs tests with a mutant, until one fails.
   *
   * @param {string[]} files of tests
   * @param {{ changed: string, timeoutMs: number }} options `changed` is the mutant's source
   * @returns {Promise<string | undefined>} the file that failed, or the reason; undefined if all passed
   */
  async failure(files, { changed, timeoutMs }) {
    const failed = await this.#warm.failure(
      files.map((file) => this.checkout.path(file)),
      { changed: this.checkout.path(changed), timeoutMs },
    )
    return failed?.startsWith(this.checkout.path('.')) ? this.checkout.relative(failed) : failed
  }

  /** Ends the process that its tests run in. */
  end() {
    this.#warm.end()
  }
}
