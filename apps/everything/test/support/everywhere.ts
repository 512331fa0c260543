import type { Cluster } from '@jetway-apps/test-support/cluster'
import type { Driver } from './clients.ts'
import { MODERN_CLIENTS } from './clients.ts'

/** Tools that change what one process offers. */
const CHANGES = /^(?:add|remove)_/

/** Applies each change to the lists in all processes, as deploying a new release of the server would. */
export async function everywhere(driver: Driver, { nodes }: Cluster): Promise<Driver> {
  const connect = MODERN_CLIENTS['v2 modern']
  if (connect === undefined) throw new Error('There is no client without sessions')
  const each = await Promise.all(nodes.map(({ url }) => connect({ url })))
  return {
    ...driver,
    async callTool(name, args, options) {
      if (!CHANGES.test(name)) return driver.callTool(name, args, options)
      const [result = {}] = await Promise.all(each.map((node) => node.callTool(name, args)))
      return result
    },
    async close() {
      await driver.close()
      await Promise.all(each.map((node) => node.close()))
    },
  }
}
