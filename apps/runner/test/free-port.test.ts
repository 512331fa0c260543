import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, it } from 'vitest'
import { freePort } from '../src/free-port.ts'

it('freePort returns the next free port if the first one is taken', async () => {
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const taken = (holder.address() as AddressInfo).port
  const port = await freePort(taken, '127.0.0.1')
  expect(port).toBeGreaterThan(taken)
  const user = createServer().listen(port, '127.0.0.1')
  await once(user, 'listening')
  await Promise.all([once(holder.close(), 'close'), once(user.close(), 'close')])
})

it('freePort throws for an address that belongs to another machine', async () => {
  await expect(freePort(3000, '192.0.2.1')).rejects.toThrow('EADDRNOTAVAIL')
})
