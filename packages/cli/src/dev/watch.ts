import { relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type FSWatcher, watch } from 'chokidar'
import picomatch from 'picomatch'

/** The time within which saves of several files cause only one restart, in ms. */
const DEBOUNCE_MS = 50
/** Files that the server reads without importing them. */
const PROJECT_FILES = ['.env', 'tsconfig.json', 'package.json']

export interface WatchOptions {
  readonly folder: string
  /** Files to watch besides the imported ones. */
  readonly globs: readonly string[]
  /** Called with the URLs of changed files. */
  readonly onChange: (urls: readonly string[]) => void
}

/** Watches files for changes. */
export interface Watching {
  /** Adds an imported file, by its URL. */
  add(url: string): void
  close(): Promise<void>
}

export function watchFiles({ folder, globs, onChange }: WatchOptions): Watching {
  const watcher = watch(
    PROJECT_FILES.map((name) => resolve(folder, name)),
    { ignoreInitial: true },
  )
  const known = new Set<string>()
  let changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  const watchers = [watcher, ...globs.map((glob) => watchGlob(folder, glob))]
  const onEvent = (_event: string, path: string): void => {
    changed.add(pathToFileURL(path).href)
    clearTimeout(timer)
    timer = setTimeout(() => {
      const urls = [...changed]
      changed = new Set()
      onChange(urls)
    }, DEBOUNCE_MS)
  }
  for (const it of watchers) it.on('all', onEvent)
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

function watchGlob(folder: string, pattern: string): FSWatcher {
  const { base, glob } = picomatch.scan(pattern)
  const root = resolve(folder, base)
  const matches = glob === '' ? undefined : picomatch(glob)
  const isIgnored = (path: string): boolean => /[\\/](?:node_modules|\.git)(?:[\\/]|$)/.test(path)
  return watch(root, {
    ignoreInitial: true,
    ignored: (path, stats) =>
      isIgnored(path) ||
      (stats?.isFile() === true && matches?.(relative(root, path).replaceAll('\\', '/')) === false),
  })
}
