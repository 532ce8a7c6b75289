import 'reflect-metadata';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Args, GraphQLModule, Query, Resolver } from '@nestjs/graphql';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { SnowflakeID } from 'nestjs-snowflake/graphql';
import { cleanupOpenApiDoc } from 'nestjs-zod';
// The schema of the page on validation, with nestjs-zod.
import { AppModule } from './app.module.js';

@Resolver()
class EchoResolver {
  @Query(() => SnowflakeID)
  echo(@Args('id', { type: () => SnowflakeID }) id: string): string {
    return id;
  }
}

@Module({
  imports: [
    AppModule,
    GraphQLModule.forRoot<ApolloDriverConfig>({
      driver: ApolloDriver,
      autoSchemaFile: true,
    }),
  ],
  providers: [EchoResolver],
})
class MainModule {}

const app = await NestFactory.create(MainModule, { logger: ['error'] });
app.enableShutdownHooks();
const document = cleanupOpenApiDoc(SwaggerModule.createDocument(app, new DocumentBuilder().build()));
SwaggerModule.setup('api', app, document);
await app.listen(0, '127.0.0.1');
process.stdout.write(`${await app.getUrl()}\n`);
