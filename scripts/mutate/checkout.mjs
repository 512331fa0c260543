/**
 * A checkout of HEAD in the system's temporary folder. Mutants exist only there, so none of them can be
 * committed.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, sep } from 'node:path'
import process from 'node:process'
import { pnpm, root } from '../../.ci/pnpm.mjs'
import { run, stepOrExit } from '../steps.mjs'
import { WarmTests } from './warm-tests.mjs'

const git = (cwd, ...args) => execFileSync('git', args, { cwd, encoding: 'utf8' }).trim()

export class Checkout {
  #folder
  /** The source code of the packages, keyed by path. @type {Record<string, string>} */
  sources = {}
  #warm

  constructor(folder) {
    this.#folder = folder
    this.#warm = new WarmTests(folder)
  }

  static async create() {
    const folder = join(mkdtempSync(join(tmpdir(), 'jetway-mutants-')), 'jetway')
    process.once('exit', () => {
      // Tests that have just been killed may still be writing files, so deletion is retried.
      rmSync(dirname(folder), { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
      git(root, 'worktree', 'prune')
    })
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

    git(root, 'worktree', 'add', '--quiet', '--detach', folder, 'HEAD')
    const options = { quiet: true, cwd: folder }
    await stepOrExit('install', [...pnpm(), 'install', '--frozen-lockfile', '--prefer-offline'], options)
    // Some tests read the build.
    await stepOrExit('build', [join(folder, 'node_modules', '.bin', 'tsdown')], options)

    const checkout = new Checkout(folder)
    for (const file of checkout.files([':(glob)packages/*/src/**/*.ts']))
      checkout.sources[file] = readFileSync(checkout.path(file), 'utf8')
    return checkout
  }

  /** @param {string[]} patterns in git's syntax */
  files(patterns) {
    return git(this.#folder, 'ls-files', '--', ...patterns).split('\n')
  }

  path(file) {
    return join(this.#folder, file)
  }

  relative(path) {
    return relative(this.#folder, path).split(sep).join('/')
  }

  commit() {
    return git(this.#folder, 'rev-parse', '--short', 'HEAD')
  }

  /** Reverts all changes to files. */
  restore() {
    git(this.#folder, 'checkout', '--quiet', '--', '.')
  }

  /**
   * @param {string[]} files the test files; if empty, all tests run
   * @returns {Promise<string[]>} the files that failed, or a reason if no file failed
   */
  async test(files, { oneByOne = false } = {}) {
    const report = this.path('mutate-report.json')
    rmSync(report, { force: true })
    const command = [
      this.path('node_modules/.bin/vitest'),
      'run',
      '--experimental.fsModuleCache',
      '--reporter=json',
      `--outputFile=${report}`,
      ...(oneByOne ? ['--no-file-parallelism'] : []),
      ...files,
    ]
    const code = await run(command, { cwd: this.#folder, output: 'ignore' })
    if (code === 0) return []
    if (!existsSync(report)) throw new Error('Vitest could not run the tests')
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
    const failed = testResults.filter(({ status }) => status === 'failed')
    return failed.length === 0 ? ['an unhandled error'] : failed.map(({ name }) => this.relative(name))
  }

  /**
   * Runs tests with a mutant until one fails.
   *
   * @param {string[]} files the test files
   * @param {{ changed: string, timeoutMs: number }} options `changed` is the mutant's source
   * @returns {Promise<string | undefined>} the file that failed, or the reason; undefined if all passed
   */
  async failure(files, { changed, timeoutMs }) {
    const failed = await this.#warm.failure(
      files.map((file) => this.path(file)),
      { changed: this.path(changed), timeoutMs },
    )
    return failed?.startsWith(this.#folder) ? this.relative(failed) : failed
  }
}
