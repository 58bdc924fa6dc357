/** What the payments server says of itself; BASE stands for its address. */
export const PAYMENTS_DOCUMENT = `openapi: 3.1.0
info: {title: Payments, version: '1'}
servers: [{url: 'BASE/{version}', variables: {version: {default: v1}}}]
security: [{token: []}]
components:
  securitySchemes:
    token: {type: http, scheme: bearer}
  schemas:
    Payment:
      type: object
      required: [id, amount, reference]
      properties:
        id: {type: string}
        amount: {type: number}
        reference: {type: string}
        metadata: {type: object, additionalProperties: {type: string}}
        refunded: {type: boolean}
        key: {type: [string, 'null']}
paths:
  /payments:
    get:
      operationId: listPayments
      summary: List payments
      parameters:
        - {name: reference, in: query, schema: {type: string}}
        - {name: limit, in: query, schema: {type: integer}}
        - {name: starting_after, in: query, schema: {type: string}}
      responses:
        '200':
          description: a page
          content:
            application/json:
              schema:
                type: object
                required: [data, has_more]
                properties:
                  data: {type: array, items: {$ref: '#/components/schemas/Payment'}}
                  has_more: {type: boolean}
    post:
      operationId: createPayment
      summary: Pay an amount
      parameters:
        - {name: Idempotency-Key, in: header, schema: {type: string}}
      requestBody:
        required: true
        content:
          application/x-www-form-urlencoded:
            schema:
              type: object
              required: [amount, reference]
              properties:
                amount: {type: number}
                reference: {type: string}
                metadata: {type: object, additionalProperties: {type: string}}
            encoding:
              metadata: {style: deepObject, explode: true}
      responses:
        '200': {description: paid, content: {application/json: {schema: {$ref: '#/components/schemas/Payment'}}}}
  /payments/{id}:
    get:
      operationId: getPayment
      summary: Read a payment
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses:
        '200': {description: it, content: {application/json: {schema: {$ref: '#/components/schemas/Payment'}}}}
  /payments/{id}/refund:
    post:
      operationId: refundPayment
      summary: Refund a payment
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses:
        '200': {description: refunded, content: {application/json: {schema: {$ref: '#/components/schemas/Payment'}}}}
  /echo:
    get:
      operationId: echo
      summary: Show the credential that came
      responses:
        '200': {description: it, content: {application/json: {schema: {type: object, properties: {authorization: {type: string}}}}}}
`;
