import { BodyError, type BodyReading } from '@jetway/core/http'
import { describe, expect, it } from 'vitest'
import { readWhole } from '../src/request.ts'

const LIMIT = 10
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Records how a reader ended. Rejects more than 100 bytes. */
class Reading implements BodyReading {
  ended = 0
  stop: (error: BodyError) => void = () => {}
  #bytes = 0
  begin(stop: (error: BodyError) => void): void {
    this.stop = stop
  }
  add(bytes: number): BodyError | undefined {
    this.#bytes += bytes
    return this.#bytes > 100 ? BodyError.tooMany() : undefined
  }
  end(): void {
    this.ended++
  }
}

const caught = (read: Promise<Uint8Array>): Promise<Uint8Array | BodyError> =>
  read.catch((error: unknown) => error as BodyError)

describe('`readWhole`', () => {
  const whole = (text: string): Promise<ArrayBuffer> => Promise.resolve(bytesOf(text).buffer as ArrayBuffer)
  const read = async (body: Promise<ArrayBuffer>, declared = 1): Promise<unknown[]> => {
    const reading = new Reading()
    const result = await caught(readWhole(body, declared, { bodyLimit: LIMIT, reading }))
    return [result instanceof BodyError ? result.status : new TextDecoder().decode(result), reading.ended]
  }

  it.each([
    ['a body at the limit', '0123456789', 10, '0123456789'],
    ['a body one byte over the limit', '0123456789x', 10, 413],
    ['a declared length that fits the mount', '0', 100, '0'],
    ['a declared length above the limit of the mount', '0', 101, 503],
  ])('accepts or refuses a body by its size: %s', async (_, text, declared, expected) => {
    expect(await read(whole(text), declared)).toEqual([expected, 1])
  })

  it('fails with 400 if the body ends early, and with 408 if the body takes too long', async () => {
    expect(await read(Promise.reject(new Error('reset')))).toEqual([400, 1])
    const reading = new Reading()
    const slow = caught(readWhole(new Promise(() => {}), 1, { bodyLimit: LIMIT, reading }))
    reading.stop(BodyError.tooSlow(5))
    expect(await slow).toMatchObject({ status: 408 })
    expect(reading.ended).toBe(1)
  })
})
