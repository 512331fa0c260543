import { realpathSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type FSWatcher, watch } from 'chokidar'
import picomatch from 'picomatch'

/** If several files are saved within this time, in ms, the server is restarted only once. */
const DEBOUNCE_MS = 50
/** Files that the server reads without importing them. */
const PROJECT_FILES = ['.env', 'tsconfig.json', 'package.json']

/** The maximum number of errors to print. Each folder in a tree may cause one. */
const MAX_ERRORS = 5

export interface WatchOptions {
  readonly folder: string
  /** Patterns of files to watch in addition to the imported ones. */
  readonly globs: readonly string[]
  /** Called with the URLs of the changed files. */
  readonly onChange: (urls: readonly string[]) => void
  readonly print: (text: string) => void
}

/** Watches files for changes. */
export interface Watching {
  /** Adds an imported file, by its URL. */
  add(url: string): void
  close(): Promise<void>
}

/**
 * Watches files. Errors are only printed, because a folder from an unknown source may contain links that cannot
 * be watched.
 */
export function watchFiles({ folder, globs, onChange, print }: WatchOptions): Watching {
  const known = new Set(PROJECT_FILES.map((name) => resolve(folder, name)))
  const watcher = watch([...known], {
    ignoreInitial: true,
    // There may be a folder in place of a file, such as a Python project's folder `.env`. It can contain any
    // number of files.
    ignored: (path, stats) => known.has(path) && stats?.isDirectory() === true,
  })
  let changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  const errors = new Set<string>()
  const onError = (error: unknown): void => {
    const message = error instanceof Error ? error.message : String(error)
    if (errors.size === MAX_ERRORS || errors.has(message)) return
    errors.add(message)
    print(`Cannot watch everything: ${message}`)
  }
  const watchers = [watcher, ...globs.flatMap((glob) => watchGlob(folder, glob, print) ?? [])]
  const onEvent = (_event: string, path: string): void => {
    changed.add(pathToFileURL(path).href)
    clearTimeout(timer)
    timer = setTimeout(() => {
      const urls = [...changed]
      changed = new Set()
      onChange(urls)
    }, DEBOUNCE_MS)
  }
  for (const it of watchers) {
    let isReady = false
    it.once('ready', () => (isReady = true))
    it.on('error', onError)
    it.on('all', (event, path, stats) => {
      // Chokidar's `ignoreInitial` option does not apply to links.
      if (isReady || stats?.isSymbolicLink() !== true) onEvent(event, path)
    })
  }
  return {
    add(url) {
      const path = fileURLToPath(url.split(/[?#]/, 1)[0] ?? url)
      if (known.has(path)) return
      known.add(path)
      watcher.add(path)
    },
    async close() {
      clearTimeout(timer)
      await Promise.all(watchers.map((it) => it.close()))
    },
  }
}

/**
 * Watches the files that match a pattern. Links below the pattern's folder are not followed, because they may
 * lead anywhere.
 */
function watchGlob(folder: string, pattern: string, print: (text: string) => void): FSWatcher | undefined {
  const { base, glob } = picomatch.scan(pattern)
  const named = resolve(folder, base)
  const root = targetOf(named)
  if (root !== named && `${folder}${sep}`.startsWith(join(root, sep))) {
    print(`Cannot watch ${pattern}: ${named} is a link to ${root}, which contains this folder`)
    return undefined
  }
  const matches = glob === '' ? undefined : picomatch(glob)
  const isIgnored = (path: string): boolean => /[\\/](?:node_modules|\.git)(?:[\\/]|$)/.test(path)
  return watch(root, {
    ignoreInitial: true,
    followSymlinks: false,
    ...depthOf(glob),
    ignored: (path, stats) =>
      isIgnored(path) ||
      ((stats?.isFile() === true || stats?.isSymbolicLink() === true) &&
        matches?.(relative(root, path).replaceAll('\\', '/')) === false),
  })
}

/** Returns the target of a link, because the user has named this folder. */
function targetOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** Returns the maximum depth of a pattern's matches. Extended patterns such as `+(a/)` may match at any depth. */
const depthOf = (glob: string): { readonly depth?: number } =>
  glob === '' || /\*\*|\(/.test(glob) ? {} : { depth: glob.split('/').length - 1 }
