/** A small document of version 3.1. */
export const pets = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1.0.0' },
  servers: [{ url: 'https://pets.invalid/v1' }],
  paths: {
    '/pets': {
      get: {
        operationId: 'listPets',
        summary: 'List pets',
        tags: ['pets'],
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } },
          { name: 'status', in: 'query', schema: { type: 'array', items: { enum: ['free', 'sold'] } } },
        ],
        responses: {
          200: {
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: { data: { type: 'array', items: { $ref: '#/components/schemas/Pet' } } },
                },
              },
            },
          },
        },
      },
      post: {
        operationId: 'createPet',
        summary: 'Add a pet',
        tags: ['pets', 'write'],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
        },
        responses: {
          201: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } },
        },
      },
    },
    '/pets/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
      get: {
        summary: 'Find a pet',
        responses: {
          200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } },
        },
      },
      delete: { operationId: 'deletePet', deprecated: true, responses: { 204: { description: 'Gone' } } },
    },
  },
  components: {
    schemas: {
      Pet: {
        type: 'object',
        required: ['id', 'name'],
        properties: {
          id: { type: 'integer', readOnly: true },
          name: { type: 'string' },
          friends: { type: 'array', items: { $ref: '#/components/schemas/Pet' } },
        },
      },
    },
  },
} as const
