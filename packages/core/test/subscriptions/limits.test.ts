import { describe, expect, it } from 'vitest'
import { CoalescingQueue } from '../../src/subscriptions/coalescing-queue.ts'
import {
  type Subscription,
  type SubscriptionFilter,
  SubscriptionSet,
} from '../../src/subscriptions/subscription.ts'

describe('CoalescingQueue', () => {
  it('queues identical notifications once, in order of arrival, for their first owner', () => {
    const queue = new CoalescingQueue(100)
    const [one, two] = [{}, {}]
    expect([queue.add('é', one), queue.add('b', two), queue.add('é', two)]).toEqual([true, true, true])
    expect([queue.bytes, queue.isEmpty]).toEqual([3, false])
    expect(queue.take()).toEqual([
      ['é', one],
      ['b', two],
    ])
    expect([queue.bytes, queue.isEmpty, queue.take()]).toEqual([0, true, []])
  })

  it.each([
    ['that fits exactly', 'bbbbbb', 0, true],
    ['that is one byte over the limit', 'bbbbbbb', 0, false],
    ['that fits exactly with bytes queued elsewhere', 'bbbb', 2, true],
    ['that is one byte over the limit together with bytes queued elsewhere', 'bbbb', 3, false],
    ['that is queued already', 'aaaa', 99, true],
  ])('applies the size limit to a second notification %s', (_what, frame, queued, taken) => {
    const queue = new CoalescingQueue(10)
    queue.add('aaaa')
    expect(queue.add(frame, undefined, queued)).toBe(taken)
    expect(queue.bytes).toBe(taken && frame !== 'aaaa' ? 4 + frame.length : 4)
  })

  it('accepts a first notification of any size', () => {
    expect(new CoalescingQueue(1).add('long', undefined, 100)).toBe(true)
  })

  it('discards the notifications of one owner, and keeps all others', () => {
    const queue = new CoalescingQueue(100)
    const owner = {}
    for (const [frame, of] of [
      ['é', owner],
      ['b', {}],
      ['c', owner],
      ['d', undefined],
    ] as const)
      queue.add(frame, of)
    queue.discard(owner)
    expect([queue.bytes, queue.take().map(([frame]) => frame)]).toEqual([2, ['b', 'd']])
  })
})

describe('SubscriptionSet', () => {
  const setUp = (max: number, maxPerPrincipal: number) => {
    const set = new SubscriptionSet({ max, maxPerPrincipal })
    const log: string[] = []
    const open = (id: string, principal = '', filters: readonly SubscriptionFilter[] = []) =>
      set.open(
        {
          id,
          filters,
          answer: `answer ${id}`,
          channel: {
            send: (frame) => {
              const { method } = JSON.parse(frame) as { method: string }
              log.push(`${id} ${method}`)
              return method !== 'full'
            },
            drop: () => void log.push(`${id} dropped`),
            finish: (answer) => void log.push(answer),
            overflow: (answer) => void log.push(`overflow: ${answer}`),
          },
        },
        principal,
      )
    return { set, log, open }
  }
  const ids = (...all: (Subscription | undefined)[]): unknown[] => all.map((one) => one?.id)

  it('limits subscriptions per principal and overall', () => {
    const { set, open } = setUp(3, 2)
    expect(ids(open('a', 'ann'), open('b', 'ann'), open('c', 'ann'))).toEqual(['a', 'b', undefined])
    expect(ids(open('d', 'bob'), open('e', 'bob'), open('f'))).toEqual(['d', undefined, undefined])
    expect(set.size).toBe(3)
  })

  it('drops the oldest anonymous subscription to make room for a principal', () => {
    const { set, log, open } = setUp(3, 2)
    for (const id of ['a', 'b', 'c']) open(id)
    expect(ids(open('d'), open('e', 'ann'))).toEqual([undefined, 'e'])
    expect(log).toEqual(['answer a'])
    expect(ids(set.find('a'), set.find('b'), set.find('e'))).toEqual([undefined, 'b', 'e'])
  })

  it('ends each subscription once, with or without a response', () => {
    const { set, log, open } = setUp(9, 9)
    const [one, two] = [open('one'), open('two')]
    const ends: string[] = []
    one?.onClose(() => ends.push('one'))
    one?.drop()
    one?.close()
    one?.drop()
    one?.onClose(() => ends.push('late'))
    two?.close()
    set.closeAll()
    expect([log, ends, set.size]).toEqual([['one dropped', 'answer two'], ['one', 'late'], 0])
  })

  it("starts and ends a subscription's filters, and sends nothing once its queue has overflowed", () => {
    const { set, log, open } = setUp(9, 9)
    const steps: string[] = []
    const filter = (name: string, method: string): SubscriptionFilter => ({
      acknowledged: { [name]: true },
      onChange: (event, notify) => event.kind === 'tools' && notify({ method }),
      begin: () => {
        steps.push(`begin ${name}`)
        return name === 'a' ? () => void steps.push(`end ${name}`) : undefined
      },
    })
    open('one', '', [filter('a', 'full'), filter('b', 'more')])?.begin()
    expect(steps).toEqual(['begin a', 'begin b'])
    set.onChange({ kind: 'prompts' })
    set.onChange({ kind: 'tools' })
    set.onChange({ kind: 'tools' })
    expect(log).toEqual(['one notifications/subscriptions/acknowledged', 'one full', 'overflow: answer one'])
    expect([steps.at(-1), set.size]).toEqual(['end a', 0])
  })
})
