/** The adapter for Hono: `app.use(toHonoMiddleware(handler))`. */
import type { PlatformHandler } from './handler.ts'

type Context = { req: { raw: Request } }

export function toHonoMiddleware(
  handler: PlatformHandler,
): (context: Context, next: () => Promise<void>) => Promise<Response | undefined> {
  return async (context, next) => {
    const response = await handler(context.req.raw)
    if (response !== null) return response
    await next()
    return undefined
  }
}
