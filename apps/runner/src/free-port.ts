import { once } from 'node:events'
import { createServer } from 'node:net'

const ATTEMPTS = 100

/**
 * Returns the first free port on `host`, starting with `first`.
 *
 * @throws Error if a hundred consecutive ports are in use, or if it is not possible to listen on the address
 */
export async function freePort(first: number, host: string): Promise<number> {
  for (let port = first; port < first + ATTEMPTS; port++) {
    if (await isFree(port, host)) return port
  }
  throw new Error(`Ports ${first} to ${first + ATTEMPTS - 1} of ${host} are all taken`)
}

async function isFree(port: number, host: string): Promise<boolean> {
  const probe = createServer()
  try {
    probe.listen(port, host)
    await once(probe, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false
    throw error
  }
  probe.close()
  await once(probe, 'close')
  return true
}
