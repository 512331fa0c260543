import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { ready } from '../serving/control.ts'
import { createSdkServer } from '../serving/sdk.ts'

await createSdkServer().connect(new StdioServerTransport())
ready()
