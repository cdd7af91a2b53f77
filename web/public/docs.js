"use strict";
SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#api",
  deepLinking: true,
  // The validator is another host's, and would be told where this server is.
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
});
