import type { AddressInfo } from 'node:net'
import { McpServer } from '@jetway/core'
import { mcp } from '@jetway/node'
import express from 'express'

const server = new McpServer({ name: 'hello', version: '1.0.0' })
server.addTool({ name: 'hello', description: 'Says hello', handler: () => 'Hello, world' })

const app = express()
app.use('/mcp', mcp({ server }))
app.use(express.json())
const http = app.listen(Number(process.env.PORT ?? 3000), () => {
  console.log('Port', (http.address() as AddressInfo).port)
})
