import { settled } from '@jetway-apps/test-support'
import { vi } from 'vitest'
import { StartError } from '../../../src/dev/process/child.ts'
import { Supervisor } from '../../../src/dev/supervisor.ts'
import { FakeChild } from './fake-child.ts'

/** Creates a supervisor whose processes are controlled by the test. */
export function supervise({ stopFirst = false, prepare = (): Promise<void> => Promise.resolve() } = {}) {
  const children: FakeChild[] = []
  const events: string[] = []
  const printed: string[] = []
  const imported: string[] = []
  const drained = new Map<number, () => void>()
  const supervisor = new Supervisor({
    spawn(generation, onImport) {
      const child = new FakeChild(generation, onImport)
      children.push(child)
      return Promise.resolve(child)
    },
    clients: {
      prepare({ generation }) {
        events.push(`prepare ${generation}`)
        return prepare()
      },
      use: ({ generation }) => void events.push(`use ${generation}`),
      drained({ generation }) {
        events.push(`drain ${generation}`)
        return new Promise((resolve) => void drained.set(generation, resolve))
      },
      lost: ({ generation }) => void events.push(`lost ${generation}`),
    },
    stopFirst,
    onImport: (url) => void imported.push(url),
    print: (text) => void printed.push(text),
  })
  const child = (generation: number): FakeChild => {
    const found = children[generation - 1]
    if (found === undefined) throw new Error(`there is no process ${generation}`)
    return found
  }
  return {
    supervisor,
    events,
    printed,
    imported,
    child,
    spawned: () => children.length,
    start: async () => {
      supervisor.start()
      await settled()
    },
    change: async (...urls: readonly string[]) => {
      supervisor.change(urls)
      await settled()
    },
    drain: async (generation: number) => {
      drained.get(generation)?.()
      await settled()
      // Waits once more, because the process exits only after `stop` has been called.
      await settled()
    },
  }
}

export async function advance(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms)
  await settled()
}

/** Creates a supervisor that is serving, and that has a spare process. */
export async function serving(options: Parameters<typeof supervise>[0] = {}) {
  const all = supervise(options)
  await all.start()
  await all.child(1).serve()
  await advance(50)
  return all
}

export const needsChange = new StartError('failed', 'a syntax error', true)
export const crash = new StartError('exited', 'The server exited with code 1')
