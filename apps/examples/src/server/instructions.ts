import { McpServer } from '@jetway/core'

// #region instructions
export const server = new McpServer(
  { name: 'shop', version: '1.0.0', title: 'Shop', websiteUrl: 'https://shop.example.com' },
  {
    instructions: (client) =>
      client.supports('elicitation')
        ? 'Orders need a confirmation: place_order asks the user.'
        : 'Orders need a confirmation: ask the user before you call place_order.',
  },
)
// #endregion
