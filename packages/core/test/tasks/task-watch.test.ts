import { settled } from '@jetway-apps/test-support'
import { expect, it } from 'vitest'
import type { TaskRecord } from '../../src/stores/task-store.ts'
import { TaskWatch } from '../../src/tasks/task-changes.ts'

interface Read {
  readonly taskId: string
  readonly give: (status: TaskRecord['status'] | undefined) => Promise<void>
  readonly fail: () => Promise<void>
}

const ignore = (): void => {}
const record = (taskId: string, status: TaskRecord['status']): TaskRecord => ({
  taskId,
  owner: 'ann',
  status,
  method: 'tools/call',
  revision: 'newest',
  createdAt: 0,
  updatedAt: 0,
  ttlMs: 1,
  pollIntervalMs: 1,
})

/** A store whose reads the test completes. */
function slowStore() {
  const reads: Read[] = []
  const notified: string[] = []
  const errors: unknown[] = []
  const watch = new TaskWatch({
    store: {
      get: ({ taskId }) =>
        new Promise((resolve, reject) => {
          reads.push({
            taskId,
            give: (status) => (resolve(status && record(taskId, status)), settled()),
            fail: () => (reject(new Error('down')), settled()),
          })
        }),
    },
    logger: { debug: ignore, info: ignore, warn: ignore, error: (fields) => errors.push(fields) },
  })
  const changed = (taskId: string): void =>
    watch.refresh({ owner: 'ann', taskId }, ({ status }) => notified.push(`${taskId} ${status}`))
  return { reads, notified, errors, changed }
}

it('`TaskWatch` reads a task only once more if the task changes several times during a read', async () => {
  const { reads, notified, changed } = slowStore()
  for (let i = 0; i < 100; i++) changed('a')
  changed('b')
  expect(reads.map(({ taskId }) => taskId)).toEqual(['a', 'b'])
  await reads[0]?.give('working')
  expect(reads).toHaveLength(3)
  await reads[2]?.give('completed')
  await reads[1]?.give('cancelled')
  expect(reads).toHaveLength(3)
  expect(notified).toEqual(['a working', 'a completed', 'b cancelled'])
})

it('`TaskWatch` does not report a missing task, and retries a failed read at the next change', async () => {
  const { reads, notified, errors, changed } = slowStore()
  changed('a')
  await reads[0]?.give(undefined)
  changed('a')
  await reads[1]?.fail()
  expect(errors).toHaveLength(1)
  changed('a')
  await reads[2]?.give('completed')
  expect(notified).toEqual(['a completed'])
})
