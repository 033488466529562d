/** A whole answer compressed, where who asks understands it. */
export function compressed(request: Request, response: Response): Response {
  if (response.status !== 200 || response.body === null) return response
  const headers = new Headers(response.headers)
  headers.append('Vary', 'Accept-Encoding')
  if (!acceptsGzip(request.headers.get('accept-encoding') ?? '')) {
    return new Response(response.body, { headers })
  }
  headers.set('Content-Encoding', 'gzip')
  return new Response(response.body.pipeThrough(new CompressionStream('gzip')), { headers })
}

function acceptsGzip(accepted: string): boolean {
  return accepted.split(',').some((one) => {
    const [name = '', ...params] = one.split(';').map((part) => part.trim().toLowerCase())
    return name === 'gzip' && !params.some((param) => /^q=0(\.0*)?$/.test(param))
  })
}
