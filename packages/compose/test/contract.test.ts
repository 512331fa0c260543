import { McpServer } from '@jetway/core'
import { silent } from '@jetway-apps/test-support'
// #region contract
import { describeSource } from '@jetway/testing/source'
import { change, only, sourceOf } from '../src/index.ts'

describeSource('sourceOf', (server) => ({ source: sourceOf(server) }))
// #endregion

describeSource('views that change nothing, of a server inside a server', (server) => {
  const middle = new McpServer({ name: 'middle', version: '1.0.0' }, { logger: silent })
  middle.use(async (_ctx, next) => next())
  middle.observe(sourceOf(server))
  return { source: only({}, change(sourceOf(middle), {})), close: () => middle.close({ deadline: 0 }) }
})
