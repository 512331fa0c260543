/**
 * `npm run registry`: serves `tarballs/` on 127.0.0.1 as a read-only npm registry. Create the folder with
 * `npm run pack`. Requests for all other packages are redirected to the registry that npm is configured to
 * use. Arguments: `--port N` (default 4873, 0 for a free port) and a folder with tarballs.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join, resolve } from 'node:path'
import { argv } from 'node:process'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { root } from '../.ci/pnpm.mjs'
import { packumentOf, readTarball } from './registry/packument.mjs'

const TARBALLS = '/-/tarballs/'

/** Returns the registry that npm is configured to use, with a trailing slash. */
export function configuredRegistry() {
  const url = execFileSync('npm', ['config', 'get', 'registry'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  })
  return url.trim().replace(/\/*$/, '/')
}

/**
 * Starts the registry. The tarballs are read once, when it starts.
 *
 * @param {object} options
 * @param {string} options.folder has the tarballs, at most one of each package
 * @param {string} options.upstream where all other names are redirected to
 * @param {number} [options.port] default: a free one
 * @returns {Promise<{ url: string, names: string[], close: () => Promise<void> }>}
 */
export async function startRegistry({ folder, upstream, port = 0 }) {
  const packages = new Map()
  const files = new Map()
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.tgz'))) {
    const bytes = readFileSync(join(folder, file))
    const tarball = { ...readTarball(bytes), file }
    if (packages.has(tarball.manifest.name))
      throw new Error(`${folder} has two versions of ${tarball.manifest.name}. Run: npm run pack`)
    packages.set(tarball.manifest.name, tarball)
    files.set(pathOf(tarball), bytes)
  }
  const server = createServer((request, response) => {
    const reply = replyTo(request, { packages, files, upstream, origin: originOf(server) })
    response.writeHead(reply.status, reply.headers)
    response.end(request.method === 'HEAD' ? undefined : reply.body)
  })
  await new Promise((done, failed) => {
    server.once('error', failed)
    server.listen(port, '127.0.0.1', done)
  })
  return {
    url: `${originOf(server)}/`,
    names: [...packages.keys()],
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}

/**
 * npx caches what it has installed from an address, so a tarball with different content needs a different
 * address.
 */
const pathOf = ({ shasum, file }) => `${TARBALLS}${shasum}/${file}`

const originOf = (server) => `http://127.0.0.1:${server.address().port}`

const json = (status, value) => ({
  status,
  // In the next run, tarballs with the same versions may have different content.
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(value),
})

function replyTo({ method, url }, { packages, files, upstream, origin }) {
  if (method !== 'GET' && method !== 'HEAD') return json(405, { error: 'This registry is read-only' })
  const path = decode(url)
  if (path === undefined) return json(400, { error: 'The path is no valid URL' })
  const file = files.get(path)
  if (file !== undefined)
    return { status: 200, headers: { 'content-type': 'application/octet-stream' }, body: file }
  const tarball = packages.get(path.slice(1))
  if (tarball !== undefined) return json(200, packumentOf(tarball, origin + pathOf(tarball)))
  // The path stays encoded, because the slash in a scoped name must not be decoded.
  return { status: 302, headers: { location: upstream + url.slice(1) }, body: '' }
}

/** npm encodes the slash in scoped names. */
function decode(url) {
  try {
    return decodeURIComponent(url.split('?')[0])
  } catch {
    return undefined
  }
}

async function main() {
  const { values, positionals } = parseArgs({
    options: { port: { type: 'string', default: '4873' } },
    allowPositionals: true,
  })
  const folder = resolve(positionals[0] ?? join(root, 'tarballs'))
  const { url, names } = await startRegistry({
    folder,
    upstream: configuredRegistry(),
    port: Number(values.port),
  })
  console.log(`${names.length} packages of ${folder}`)
  console.log(`npm_config_registry=${url}`)
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) await main()
