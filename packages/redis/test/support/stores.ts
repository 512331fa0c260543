import { randomBytes } from 'node:crypto'
import { silent } from '@jetway-apps/test-support'
import { redis, type RedisOptions, type RedisStores } from '../../src/index.ts'
import { onTestFinished } from 'vitest'

/** Where the stores of a test are. */
export type Address = Pick<RedisOptions, 'url' | 'cluster' | 'sentinel' | 'connection'>

/** A namespace that no other test uses. */
const newNamespace = (): string => `test-${randomBytes(6).toString('hex')}`

/** The stores of one process, which connect at first use. They close with the test. */
function newStores(address: Address, options: Partial<RedisOptions> = {}): RedisStores {
  const stores = redis({ ...address, namespace: newNamespace(), logger: silent, ...options })
  const release = stores.acquire()
  onTestFinished(async () => release())
  return stores
}

/** The same, connected. */
export async function createStores(
  address: Address,
  options: Partial<RedisOptions> = {},
): Promise<RedisStores> {
  const stores = newStores(address, options)
  await stores.ready()
  return stores
}

/** The stores of two processes of one deployment, connected. */
export async function createTwo(
  address: Address,
  options: Partial<RedisOptions> = {},
): Promise<[RedisStores, RedisStores]> {
  const two = newTwo(address, options)
  await Promise.all(two.map((stores) => stores.ready()))
  return two
}

/** The same, which connect at first use. */
export function newTwo(address: Address, options: Partial<RedisOptions> = {}): [RedisStores, RedisStores] {
  const same = { ...options, namespace: newNamespace() }
  return [newStores(address, same), newStores(address, same)]
}
