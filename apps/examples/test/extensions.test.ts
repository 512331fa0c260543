import { describe, expect, it } from 'vitest'
import { server } from '../src/server/extensions.ts'
import { ask as askAt } from './support.ts'

const ID = 'com.example/glossary'

const ask = (method: string, params: object, extensions: object = { [ID]: {} }): Promise<object> =>
  askAt(server, method, params, { extensions })

describe('the extension in the extensions guide', () => {
  it('is announced with its settings', async () => {
    expect(await ask('server/discover', {})).toMatchObject({
      result: { capabilities: { extensions: { [ID]: { languages: ['en'] } } } },
    })
  })

  it('is available only to clients that have declared it', async () => {
    const explain = { term: 'slot' }
    expect(await ask('glossary/explain', explain)).toMatchObject({ result: { term: 'slot' } })
    expect(await ask('glossary/explain', { term: 'none' })).toMatchObject({ error: { code: -32_602 } })
    expect(await ask('glossary/explain', explain, {})).toMatchObject({ error: { code: -32_021 } })
  })

  it('can be detected or required by a tool', async () => {
    const call = (name: string, extensions?: object): Promise<object> =>
      ask('tools/call', { name }, extensions)
    expect(JSON.stringify(await call('next_departure'))).not.toContain('take off')
    expect(JSON.stringify(await call('next_departure', {}))).toContain('take off')
    expect(JSON.stringify(await call('quiz'))).toContain('slot?')
    expect(await call('quiz', {})).toMatchObject({
      error: { code: -32_021, data: { requiredCapabilities: { extensions: { [ID]: {} } } } },
    })
  })
})
