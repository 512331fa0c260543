import { randomBytes } from 'node:crypto'
import { silent } from '@jetway-apps/test-support'
import { redis, type RedisOptions, type RedisStores } from '../../src/index.ts'
import { onTestFinished } from 'vitest'

/** The Redis server for a test's stores. */
export type Address = Pick<RedisOptions, 'url' | 'cluster' | 'sentinel' | 'connection'>

/** Returns a namespace for one test. */
const newNamespace = (): string => `test-${randomBytes(6).toString('hex')}`

/** Creates the stores of one process. They connect on first use, and are closed at the end of the test. */
function newStores(address: Address, options: Partial<RedisOptions> = {}): RedisStores {
  const stores = redis({ ...address, namespace: newNamespace(), logger: silent, ...options })
  const release = stores.acquire()
  onTestFinished(async () => release())
  return stores
}

/** Creates the stores of one process, already connected. */
export async function createStores(
  address: Address,
  options: Partial<RedisOptions> = {},
): Promise<RedisStores> {
  const stores = newStores(address, options)
  await stores.ready()
  return stores
}

/** Creates the stores of two processes in one deployment, already connected. */
export async function createTwo(
  address: Address,
  options: Partial<RedisOptions> = {},
): Promise<[RedisStores, RedisStores]> {
  const two = newTwo(address, options)
  await Promise.all(two.map((stores) => stores.ready()))
  return two
}

/** Creates the stores of two processes. They connect on first use. */
export function newTwo(address: Address, options: Partial<RedisOptions> = {}): [RedisStores, RedisStores] {
  const same = { ...options, namespace: newNamespace() }
  return [newStores(address, same), newStores(address, same)]
}
