import { callHub, signIn, valuesOf } from './hub.js'

const form = document.querySelector('#set-up')
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const message = document.querySelector('#message')
  message.textContent = ''
  const token = new URLSearchParams(location.search).get('token') ?? ''
  const values = valuesOf(form)
  const { ok, body } = await callHub('/setup', { body: { ...values, token } })
  message.textContent = ok ? await signIn(values) : (body?.message ?? 'The hub cannot be reached.')
})
