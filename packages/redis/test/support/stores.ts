import { randomBytes } from 'node:crypto'
import { silent } from '@jetway-apps/test-support'
import { redis, type RedisOptions, type RedisStores } from '../../src/index.ts'
import { onTestFinished } from 'vitest'

/** Where the stores of a test are. */
export type Address = Pick<RedisOptions, 'url' | 'cluster' | 'sentinel' | 'connection'>

/** A namespace that no other test uses. */
const newNamespace = (): string => `test-${randomBytes(6).toString('hex')}`

/** The stores of one process, connected. They close with the test. */
export async function createStores(
  address: Address,
  options: Partial<RedisOptions> = {},
): Promise<RedisStores> {
  const stores = redis({ ...address, namespace: newNamespace(), logger: silent, ...options })
  const release = stores.acquire()
  onTestFinished(async () => release())
  await stores.ready()
  return stores
}

/** The stores of two processes of one deployment. */
export function createTwo(
  address: Address,
  options: Partial<RedisOptions> = {},
): Promise<[RedisStores, RedisStores]> {
  const same = { ...options, namespace: newNamespace() }
  return Promise.all([createStores(address, same), createStores(address, same)])
}
