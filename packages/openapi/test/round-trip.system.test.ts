import { describe, expect, it } from 'vitest'
import { survey } from '../src/index.ts'
import { examples, figma } from './support/documents.ts'
import { roundTrip } from './support/round-trip.ts'

describe('requests with arguments that match the schemas', () => {
  it('match the document of Figma', async () => {
    const { calls, faults } = await roundTrip(await figma(), 5)
    expect(faults).toEqual([])
    expect(calls).toBeGreaterThan(100)
  })

  it('match the examples of ReadMe', async () => {
    let all = 0
    for (const { name, document } of await examples()) {
      if (survey(document).operations.length === 0 || /response-http-behavior/.test(name)) continue
      const { calls, faults } = await roundTrip(document, 2)
      expect(faults, name).toEqual([])
      all += calls
    }
    expect(all).toBeGreaterThan(500)
  })
})
