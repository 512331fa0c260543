import process from 'node:process'

/** The time for which the work below runs on the machine that the tests' limits were set on, in ms. */
const REFERENCE_MS = 40
const ROUNDS = 60
/**
 * The size of a block that is filled, because new memory costs ten times as much on some virtual machines. Smaller
 * blocks than 32 MiB may be memory that the allocator has used before.
 */
const BYTES = 33 * 1024 * 1024

const sample = Array.from({ length: 400 }, (_, id) => ({ id, name: `tool ${id}`, tags: ['a', 'b', `${id}`] }))

function work(): void {
  for (let round = 0; round < ROUNDS; round++) JSON.parse(JSON.stringify(sample))
  Buffer.allocUnsafeSlow(BYTES).fill(1)
}

/**
 * Returns how many times longer this process currently needs for a fixed amount of work than on the machine
 * that the tests' limits were set on, but at least 1. A test multiplies a limit by this factor, so that it
 * also passes on a slower or busy machine.
 */
export function slowness(): { readonly cpu: number; readonly elapsed: number } {
  work()
  const [cpu, start] = [process.cpuUsage(), performance.now()]
  work()
  const elapsed = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  return {
    cpu: Math.max(1, (user + system) / 1_000 / REFERENCE_MS),
    elapsed: Math.max(1, elapsed / REFERENCE_MS),
  }
}
