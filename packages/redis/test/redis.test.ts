import { silent } from '@jetway-apps/test-support'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  redis,
  type RedisConnection,
  type RedisOptions,
  RedisReplyError,
  type RedisStores,
} from '../src/index.ts'

/** Creates stores over a connection on which `reply` handles each command. The reader never receives a message. */
function over(reply: (args: readonly string[]) => unknown, more: Partial<RedisConnection> = {}): RedisStores {
  const stores = redis({
    namespace: 'test',
    logger: silent,
    connection: {
      command: async (_, args) => reply(args) as null,
      reader: () => ({
        command: ([command]) => (command === 'XREAD' ? new Promise(() => {}) : Promise.resolve([])),
        close: () => {},
      }),
      close: () => Promise.resolve(),
      ...more,
    },
  })
  onTestFinished(stores.acquire())
  return stores
}

const read = async ({ sessions }: RedisStores): Promise<unknown> =>
  sessions.get({ principal: '', id: 'session' })

/** Sets the system clock back by an hour. After that, time passes only through `advanceTimersByTime`. */
function setClockBack(): void {
  vi.setSystemTime(Date.now() - 3_600_000)
}

describe('redis', () => {
  it.each<[option: string, address: Partial<RedisOptions>]>([
    ['url', { url: '127.0.0.1:6379' }],
    ['url', { url: 'localhost:6379' }],
    ['url', { url: 'http://127.0.0.1:6379' }],
    ['url', { url: '' }],
    ['url', { url: 'redis://ann:secret@' }],
    ['url', { url: 'redis://127.0.0.1:6379/secret' }],
    ['cluster', { cluster: ['redis://127.0.0.1:6379', '127.0.0.1:6380'] }],
    ['sentinel.urls', { sentinel: { name: 'main', urls: ['127.0.0.1:26379'] } }],
  ])('rejects the `%s` option in %j without repeating its value', (option, address) => {
    const create = (): unknown => redis({ ...address, namespace: 'test' })
    expect(create).toThrow(expect.objectContaining({ code: 'ERR_MCP_OPTION' }))
    expect(create).toThrow(new RegExp(`The option ${option} needs a URL with a scheme`))
    expect(create).not.toThrow(/secret/)
  })

  it.each(['redis://ann:secret@127.0.0.1:6379/1', 'rediss://redis.example.com', 'unix:///run/redis.sock'])(
    'accepts the URL %s without connecting',
    (url) => {
      expect(redis({ url, namespace: 'test', logger: silent }).stats().inFlight).toBe(0)
    },
  )
})

describe('Redis commands', () => {
  it('are sent again after Redis has recovered, even if the clock was set back', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    let isDown = true
    const stores = over(() => {
      if (isDown) throw new Error('down')
      return null
    })
    for (let i = 0; i < 5; i++) await expect(read(stores)).rejects.toThrow('Redis cannot be reached: down')
    await expect(read(stores)).rejects.toThrow('Redis has failed several times in a row')
    isDown = false
    setClockBack()
    vi.advanceTimersByTime(1_000)
    expect(await read(stores)).toBeUndefined()
    expect(stores.stats().available).toBe(true)
  })

  it.each([
    ['READONLY You can’t write against a read only replica.'],
    ['MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to no.'],
    ['ERR Error running script: @user_script:3: -READONLY You can’t write against a read only replica.'],
  ])('are sent over a new connection after the reply %s', async (reply) => {
    let resets = 0
    const refuse = (): never => {
      throw new RedisReplyError(reply)
    }
    const stores = over(refuse, { reset: () => void resets++ })
    await expect(read(stores)).rejects.toThrow(reply)
    expect([resets, stores.stats().available]).toEqual([1, false])
    // Further commands must wait for the new connection.
    await expect(read(stores)).rejects.toThrow('Redis has failed several times in a row')
    expect(resets).toBe(1)
  })

  it('mark Redis as unavailable after LOADING replies, but not after OOM replies', async () => {
    let reply = 'OOM command not allowed when used memory > maxmemory'
    const stores = over(() => {
      throw new RedisReplyError(reply)
    })
    for (let i = 0; i < 5; i++) await expect(read(stores)).rejects.toThrow('OOM')
    expect(stores.stats().available).toBe(true)
    reply = 'LOADING Redis is loading the dataset in memory'
    for (let i = 0; i < 5; i++) await expect(read(stores)).rejects.toThrow('LOADING')
    expect(stores.stats().available).toBe(false)
  })
})

describe('nodes.alive', () => {
  it('reports a stopped node as dead 7 s after joining, even if the clock was set back', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const stores = over(([command]) => (command === 'MGET' ? [null] : 1))
    await stores.nodes.join(() => {})
    expect(await stores.nodes.alive(['stopped'])).toEqual([true])
    setClockBack()
    vi.advanceTimersByTime(7_000)
    expect(await stores.nodes.alive(['stopped'])).toEqual([false])
  })
})

describe('a reader that cannot be created', () => {
  it('does not crash the process, and its creation is retried', async () => {
    let tries = 0
    const stores = over(() => 1, {
      reader: () => {
        tries++
        throw new TypeError('Invalid URL')
      },
    })
    stores.bus.subscribe('changes', () => {})
    await vi.waitFor(() => expect(tries).toBeGreaterThan(1))
  })
})
