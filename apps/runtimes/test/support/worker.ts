import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { runtime } from '@jetway-tools/runtimes'
import { build } from 'esbuild'
import { firstPort, type Listening, listening, start } from './processes.ts'

/** The options of a Worker. */
export interface WorkerOptions {
  /** The compatibility date. */
  readonly compatibilityDate?: string
  readonly compatibilityFlags?: readonly string[]
  /** The module's class that is bound as OBJECTS. */
  readonly durableObject?: string
  /** Text values, keyed by the name of their binding. */
  readonly bindings?: Readonly<Record<string, string>>
  /** The folder in which objects are stored. @default storage that lasts only as long as the process */
  readonly storage?: string
}

const TODAY = '2026-11-01'

/** Bundles a module as wrangler does, and starts it in workerd. */
export const listenInWorker = (entry: URL, options: WorkerOptions = {}): Promise<Listening> =>
  serve((file) => bundle(entry, file), options)

/** Starts a bundle in workerd. */
export const serveInWorker = (bundled: string, options: WorkerOptions = {}): Promise<Listening> =>
  serve((file) => copyFile(bundled, file), options)

async function serve(write: (file: string) => Promise<void>, options: WorkerOptions): Promise<Listening> {
  const folder = await mkdtemp(join(tmpdir(), 'jetway-worker-'))
  try {
    await write(join(folder, 'worker.js'))
    const config = join(folder, 'config.capnp')
    await writeFile(config, configText(options, await workerdVersion()))
    const child = start(
      runtime('workerd'),
      ['serve', '--control-fd=3', '--socket-addr=http=127.0.0.1:0', config],
      ['pipe', 'pipe', 'pipe', 'pipe'],
    )
    const control = child.stdio[3] as unknown as NodeJS.ReadableStream
    const server = listening(child, await firstPort(child, control, /"port":(\d+)/))
    return {
      url: server.url,
      stop: async () => {
        await server.stop()
        await rm(folder, { recursive: true, force: true })
      },
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

/**
 * Returns the version, for example 1.20261117.0. It is derived from the date that `workerd --version` prints.
 */
async function workerdVersion(): Promise<string> {
  const { stdout } = await promisify(execFile)(runtime('workerd'), ['--version'])
  return stdout
    .trim()
    .replace(/^workerd /, '')
    .replaceAll('-', '.')
}

async function bundle(entry: URL, outfile: string): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(entry)],
    outfile,
    bundle: true,
    format: 'esm',
    target: 'es2023',
    conditions: ['jetway:source', 'workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
    logLevel: 'error',
  })
}

function configText(options: WorkerOptions, version: string): string {
  const { compatibilityDate = TODAY, compatibilityFlags = [], durableObject, storage } = options
  const texts = Object.entries({ VERSION: version, ...options.bindings })
  const bindings = texts.map(([name, text]) => `(name = "${name}", text = "${text}")`)
  if (durableObject !== undefined)
    bindings.push(`(name = "OBJECTS", durableObjectNamespace = "${durableObject}")`)
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker.js", esModule = embed "worker.js")],
    compatibilityDate = "${compatibilityDate}",
    compatibilityFlags = [${compatibilityFlags.map((flag) => `"${flag}"`).join(', ')}],
    bindings = [${bindings.join(', ')}],
    durableObjectNamespaces = [${durableObject === undefined ? '' : `(className = "${durableObject}", uniqueKey = "objects")`}],
    durableObjectStorage = (${storage === undefined ? 'inMemory = void' : 'localDisk = "storage"'}),
  )), (name = "internet", network = (allow = ["local"]))${storage === undefined ? '' : `, (name = "storage", disk = (path = "${storage}", writable = true))`}],
  sockets = [(name = "http", http = (), service = "main")],
);
`
}
