/** Serves the built site on a free loopback port. Like a static host with clean URLs, `/a` serves `a.html`. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
}

/** @param {string} folder */
export async function serveSite(folder) {
  const server = createServer((request, response) => {
    void answer(folder, new URL(request.url ?? '/', 'http://localhost').pathname, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  return { origin: `http://127.0.0.1:${port}`, close: () => server.close() }
}

/** @param {string} folder @param {string} pathname @param {import('node:http').ServerResponse} response */
async function answer(folder, pathname, response) {
  const path = normalize(decodeURIComponent(pathname))
  const file = path.endsWith('/') ? `${path}index.html` : extname(path) === '' ? `${path}.html` : path
  try {
    const body = await readFile(join(folder, file))
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(body)
  } catch {
    const page = await readFile(join(folder, '404.html'))
    response.writeHead(404, { 'content-type': TYPES['.html'] }).end(page)
  }
}
