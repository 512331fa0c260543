import { settled } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { QuestionError } from '../../src/errors.ts'
import type { Exchange } from '../../src/call/exchange.ts'
import { TaskQuestions, type TaskViewer } from '../../src/tasks/task-input.ts'

const QUESTION = { method: 'roots/list', params: { a: 1 } }

/** A call that waits for a task. */
class Viewer implements TaskViewer {
  readonly sent: unknown[] = []
  readonly cancelled: string[] = []
  readonly exchange: Exchange
  readonly #settlers: { resolve: (result: object) => void; reject: (error: unknown) => void }[] = []

  constructor(name: string) {
    this.exchange = { duplex: true, send: () => {}, name } as Exchange
  }

  readonly requests: TaskViewer['requests'] = {
    send: (key, question) => {
      this.sent.push([key, question])
      const result = new Promise<never>((resolve, reject) => {
        this.#settlers.push({ resolve: resolve as (result: object) => void, reject })
      })
      return { result, cancel: (why) => void this.cancelled.push(why) }
    },
  }

  async answer(at: number, result: object): Promise<void> {
    this.#settlers[at]?.resolve(result)
    await settled()
  }

  async fail(at: number, error: unknown): Promise<void> {
    this.#settlers[at]?.reject(error)
    await settled()
  }
}

const outcome = (result: Promise<unknown>): Promise<unknown> =>
  result.catch((error: unknown) => (error instanceof QuestionError ? error.reason : error))

describe("a task's questions", () => {
  const setUp = (meta?: object) => {
    let changes = 0
    const questions = new TaskQuestions(meta as never, () => changes++)
    return { questions, changes: () => changes }
  }

  it('are sent to every call that waits for the task, now or later, and accept only the first answer', async () => {
    const { questions, changes } = setUp()
    const [early, late] = [new Viewer('early'), new Viewer('late')]
    const leave = questions.attach(early)
    expect(questions.exchange).toBe(early.exchange)
    const { result } = questions.send('q', QUESTION)
    questions.attach(late)
    expect([questions.exchange, changes()]).toEqual([late.exchange, 1])
    expect([early.sent, late.sent]).toEqual([[['q', QUESTION]], [['q', QUESTION]]])
    expect(questions.open).toEqual({ 'q-1': QUESTION })
    await late.answer(0, { b: 2 })
    expect(await result).toEqual({ b: 2 })
    expect([early.cancelled, questions.open, changes()]).toEqual([
      ['The question was answered already'],
      undefined,
      2,
    ])
    leave()
    expect(early.cancelled).toHaveLength(1)
  })

  it('have keys that are never reused, and are answered by key', async () => {
    const { questions } = setUp()
    const first = questions.send('q', QUESTION)
    questions.answer('q-1', { first: true })
    questions.answer('q-1', { again: true })
    const second = questions.send('q', QUESTION)
    questions.answer('q-1', { wrong: true })
    expect(Object.keys(questions.open ?? {})).toEqual(['q-2'])
    questions.answer('q-2', { second: true })
    expect(await Promise.all([first.result, second.result])).toEqual([{ first: true }, { second: true }])
  })

  it.each([
    [undefined, { a: 1 }, { a: 1 }],
    [{ task: 1 }, { a: 1 }, { a: 1, _meta: { task: 1 } }],
    [{ task: 1 }, { _meta: { b: 2, task: 3 } }, { _meta: { b: 2, task: 1 } }],
  ])('have a `_meta` that combines the task metadata %j with the params %j', (meta, params, shown) => {
    const { questions } = setUp(meta)
    void questions.send('q', { method: 'roots/list', params })
    expect(questions.open).toEqual({ 'q-1': { method: 'roots/list', params: shown } })
  })

  it("stay open if a waiting call's client disconnects, but fail on other errors", async () => {
    const { questions } = setUp()
    const viewer = new Viewer('one')
    const other = new Viewer('other')
    for (const each of [viewer, other]) questions.attach(each)
    const asked = outcome(questions.send('q', QUESTION).result)
    await viewer.fail(0, new QuestionError('closed', 'gone'))
    expect(questions.open).toBeDefined()
    await other.fail(0, new QuestionError('refused', 'no'))
    expect([await asked, questions.open, viewer.cancelled]).toEqual(['refused', undefined, []])
  })

  it('are cancelled for a call that stops waiting, but remain open', async () => {
    const { questions } = setUp()
    const viewer = new Viewer('one')
    const leave = questions.attach(viewer)
    void questions.send('q', QUESTION)
    leave()
    expect(viewer.cancelled).toEqual(['The call no longer waits for the task'])
    await viewer.fail(0, new QuestionError('cancelled', 'withdrawn'))
    void questions.send('r', QUESTION)
    expect([Object.keys(questions.open ?? {}), viewer.sent.length]).toEqual([['q-1', 'r-2'], 1])
    expect(questions.exchange).toBeUndefined()
  })

  it('can be cancelled by the handler', async () => {
    const { questions } = setUp()
    const viewer = new Viewer('one')
    questions.attach(viewer)
    const asked = questions.send('q', QUESTION)
    asked.cancel('enough')
    asked.cancel('again')
    expect(await outcome(asked.result)).toBe('cancelled')
    expect([viewer.cancelled, questions.open]).toEqual([['enough'], undefined])
  })

  it('are limited to 64', async () => {
    const { questions, changes } = setUp()
    for (let i = 0; i < 64; i++) void questions.send('q', QUESTION)
    const beyond = questions.send('q', QUESTION)
    expect(await outcome(beyond.result)).toBe('refused')
    beyond.cancel('nothing to cancel')
    expect([Object.keys(questions.open ?? {}).length, changes()]).toEqual([64, 64])
  })
})
