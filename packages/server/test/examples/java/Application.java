package com.example.platform;

import java.io.File;
import org.apache.catalina.Context;
import org.apache.catalina.Wrapper;
import org.apache.catalina.startup.Tomcat;
import org.springframework.http.converter.ByteArrayHttpMessageConverter;
import org.springframework.http.converter.StringHttpMessageConverter;
import org.springframework.http.converter.json.MappingJackson2HttpMessageConverter;
import org.springframework.web.context.support.StaticWebApplicationContext;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** Replaces the class that Spring Boot starts. */
public class Application {
    public static void main(String[] arguments) throws Exception {
        StaticWebApplicationContext context = new StaticWebApplicationContext();
        context.registerSingleton("hubController", HubController.class);
        context.registerSingleton("mapping", RequestMappingHandlerMapping.class);
        context.registerSingleton("adapter", Adapter.class);

        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(new File("tomcat").getAbsolutePath());
        tomcat.setPort(Integer.parseInt(arguments[0]));
        tomcat.getConnector();
        Context web = tomcat.addContext("", new File(".").getAbsolutePath());
        Wrapper servlet = Tomcat.addServlet(web, "spring", new DispatcherServlet(context));
        servlet.setAsyncSupported(true);
        web.addServletMappingDecoded("/", "spring");
        tomcat.start();
        tomcat.getServer().await();
    }

    public static class Adapter extends RequestMappingHandlerAdapter {
        public Adapter() {
            setMessageConverters(java.util.Arrays.asList(
                new ByteArrayHttpMessageConverter(),
                new StringHttpMessageConverter(),
                new MappingJackson2HttpMessageConverter()));
            setAsyncRequestTimeout(-1);
        }
    }
}
