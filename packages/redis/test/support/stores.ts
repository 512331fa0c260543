import { randomBytes } from 'node:crypto'
import { silent } from '@jetway-apps/test-support'
import { redis, type RedisOptions, type RedisStores } from '../../src/index.ts'
import { onTestFinished } from 'vitest'

/** Where the stores of a test are. */
export type Address = Pick<RedisOptions, 'url' | 'cluster' | 'sentinel' | 'connection'>

/** A namespace that no other test uses. */
export const newNamespace = (): string => `test-${randomBytes(6).toString('hex')}`

/** The stores of one process. They close with the test. */
export function createStores(address: Address, options: Partial<RedisOptions> = {}): RedisStores {
  const stores = redis({ ...address, namespace: newNamespace(), logger: silent, ...options })
  const release = stores.acquire()
  onTestFinished(async () => release())
  return stores
}

/** The stores of several processes of one deployment. */
export function createNodes(address: Address, count: number): readonly RedisStores[] {
  const namespace = newNamespace()
  return Array.from({ length: count }, () => createStores(address, { namespace }))
}
