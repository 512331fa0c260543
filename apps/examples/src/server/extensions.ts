import { defineExtension, invalidParams, McpServer, requireExtension } from '@jetway/core'

// #region extension
const ID = 'com.example/glossary'
const terms = new Map([['slot', 'The time at which an aircraft may take off']])

const glossary = defineExtension({
  id: ID,
  settings: { languages: ['en'] },
  methods: {
    'glossary/explain': ({ term }) => {
      const explanation = typeof term === 'string' ? terms.get(term) : undefined
      if (explanation === undefined) throw invalidParams('There is no such term')
      return { term, explanation }
    },
  },
  names: { 'glossary/explain': 'term' },
})

export const server = new McpServer({ name: 'airport', version: '1.0.0' }, { extensions: [glossary] })
// #endregion

// #region client
server.addTool({
  name: 'next_departure',
  description: 'When the next aircraft leaves, and why then',
  handler: (_args, ctx) => {
    const known = ctx.client.extension(ID) !== undefined
    return known ? 'At 10:40, by its slot' : `At 10:40, by its slot (${terms.get('slot')})`
  },
})
// #endregion

// #region require
server.addTool({
  name: 'quiz',
  description: 'Asks for terms that only a client with the glossary can show',
  handler: (_args, ctx) => {
    requireExtension(ctx, ID)
    return 'What is a slot?'
  },
})
// #endregion

// #region middleware
server.use('glossary/explain', async (ctx, next) => {
  ctx.log.info({ term: ctx.message.params?.['term'] })
  return next()
})
// #endregion
