import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import type { EventStore } from '@jetway/core/stores'

const MAX_LATENCY_MS = 4

/** Makes a store behave like one on a network, with delays before and after each operation. */
export function slowStore(store: EventStore, random: () => number): EventStore {
  const pass = async (): Promise<void> => {
    const latency = random()
    if (latency < 0.4) return
    await (latency < 0.8 ? turn() : delay(random() * MAX_LATENCY_MS))
  }
  const later = async <T>(step: () => T | Promise<T>): Promise<T> => {
    await pass()
    const done = await step()
    await pass()
    return done
  }
  return {
    open: (...stream) => later(() => store.open(...stream)),
    append: (...events) => later(() => store.append(...events)),
    complete: (...stream) => later(() => store.complete(...stream)),
    read: (...position) => later(() => store.read(...position)),
    seize: (...stream) => later(() => store.seize(...stream)),
    delete: (key) => later(() => store.delete(key)),
  }
}
