// #region bundle
import { McpServer } from '@jetway/core'
import { ajvEngine } from '@jetway/core/ajv'

export const server = new McpServer({ name: 'weather', version: '1.0.0' }, { schemaEngine: ajvEngine() })
// #endregion
